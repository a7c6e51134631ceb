import { section } from './describe-tool.js'

/** How the clock and rules behave; the call `rule` and the examples follow it. */
export function schedulerText(): string {
  return [
    section('Clock', [
      'Beats are quarter notes, from 0. While the transport plays, the beat grows by bpm / 60 each second; a change of tempo keeps the current beat.',
      'play, pause, stop (back to beat 0), seek and loop move it; transport() and weave_session tell where it is.',
      'until_beat and sleep_beats wait on this clock, also across pauses. every: and after: count seconds, whether it plays or not.',
    ]),
    section('Triggers', [
      'beat:4 — at 0, 4, 8, …; with an offset, beat:4+1 — at 1, 5, 9, …; the divisor is at least 0.25',
      'at:32 — at one beat; once, unless max_fires or one_shot says otherwise',
      'marker:drop — where the marker is, wherever it is moved to',
      'every:2.5s — by seconds, again and again',
      'after:10s — by seconds, once',
      'event:job.* — with each event whose type fits; on_event also compares fields of its data',
    ]),
    section('Actions', [
      'a function (shown as call:name) — gets a Fire, or what its decorator says; lives as long as this Python process',
      'eval:<code> — runs in __main__; play, pause, stop, seek:16, tempo:140; emit:name; notify:text',
      'tool:name {json} — a tool of the hub, only while a weave_eval call is open',
      'All but functions are kept with the session and go on after a restart. No rule starts a kernel: without one, a firing that needs Python is missed.',
    ]),
    section('When a rule fires', [
      'A target fires once when the transport crosses it: 3.9 to 4.3 crosses 4. After play from a stop, seek or loop jump the first beat counts too; after a pause it does not again.',
      'What a seek leaps over does not fire. At most 32 targets of one rule at once; the rest are missed.',
      'lead_s starts it that much earlier, max_late_s drops it when later, cooldown_s suppresses it when sooner after the last.',
      'Order: due instant, then priority (critical, high, normal, low, idle), then creation. idle also waits until no cell runs.',
      'Functions and eval: code run one at a time on a thread of their own, also during a long cell; a critical one does not wait for another. A rule whose last firing still runs is suppressed. Beyond limit_s an exception is raised in it.',
      'An async function runs to its end on that thread, on an event loop of its own; leave long waits to a task.',
      'Three errors in a row disable a rule (status errored); Rule.log() and last_error say why. Rules that set each other off: at most 8 deep and 100 firings per second.',
    ]),
    section('Events', [
      'emit(name, data) and the worker make them; everyone who waits gets them: rules, wait_event, events(), weave_events.',
      'They are kept in memory only. A cursor says how far you have read; gap says that some were gone before you read them.',
    ]),
  ].join('\n\n')
}
