/** Services that only a trusted worker may hold: agents and other workers rely on who they are. */
export const reservedServices = ['kernel', 'scheduler', 'forum', 'social', 'qda'] as const
