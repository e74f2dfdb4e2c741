/** One step forward of the schema; versions count up from 1 without gaps. A published step never changes. */
export type Migration = { version: number; sql: string };
