/** The version of each line of Node that is tried. */
export const NODES: Readonly<Record<20 | 22 | 24 | 26, string>>

/** Finds the Node of a line, in npm's package `node`, and returns its path. */
export function findNode(line: string | number): Promise<string>
