/** The folder of the workspace where the command line names none. */
export const DEFAULT_WORKSPACE = '.ars';
