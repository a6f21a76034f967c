/**
 * Runs a step that needs a setting, and names the setting in front of whatever the step throws.
 *
 * @param setting - the variable of the environment, with what may be shown of its value
 */
export async function needing<Result>(
  setting: string,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step()
  } catch (cause) {
    throw new Error(setting, { cause })
  }
}

/** Returns a setting that is a URL as it may be shown: with its host, never with a user and a password. */
export const urlSetting = (name: string, url: string): string =>
  URL.canParse(url) ? `${name}, at ${new URL(url).host}` : name

/** Returns the error of a start whose port is taken. */
export const portInUse = (port: number): Error =>
  new Error(`Port ${port} is in use: stop the program that listens there, or set PORT.`)

/** Returns the error of a server that cannot listen, with what to do. */
export const listenFault = (
  cause: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): Error =>
  cause.code === 'EADDRINUSE'
    ? portInUse(port)
    : new Error(
        `Set HOST to an address of this computer, or PORT to 1024 or more: nothing can listen at ${host}:${port}`,
        { cause },
      )
