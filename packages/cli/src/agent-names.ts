import type { BrokerSnapshot, HubConfig } from '@callboard/hub'

export type Namespace = HubConfig['namespace']

/** A worker's tool by the name that agents see. */
export const agentName = (service: string, tool: string, namespace: Namespace | undefined): string =>
  namespace === 'always' ? `${service}_${tool}` : tool

/** The snapshot has the names that workers gave. */
export function withAgentNames(snapshot: BrokerSnapshot, namespace: Namespace | undefined): BrokerSnapshot {
  const services = snapshot.services.map((entry) => ({
    ...entry,
    tools: entry.tools.map((tool) => agentName(entry.service, tool, namespace)),
  }))
  return { ...snapshot, services }
}
