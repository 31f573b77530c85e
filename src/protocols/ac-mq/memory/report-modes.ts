/** The three reports of AC-MQ §16. Light: a cold command reads it. */
export const reportModes = ['bottom-up', 'top-down', 'holistic'] as const
export type ReportMode = (typeof reportModes)[number]
