import { SETTINGS, type SettingName } from './environment.js'
import { describeFault } from './hooks.js'

/** A setting that something depends on. Of its value, only the host of a URL is shown. */
export interface NamedSetting {
  readonly name: SettingName
  readonly url?: string
}

/** Returns a setting as it may be shown: with the host of a URL, never with a user and a password. */
export function namedSetting({ name, url }: NamedSetting): string {
  const host = url !== undefined && URL.canParse(url) ? new URL(url).host : ''
  return host === '' ? name : `${name}, at ${host}`
}

/** Returns the error of a setting that cannot be used: with the cause, the shape of its values, and what to do. */
export function settingFault(setting: NamedSetting, cause: unknown, happened = ''): Error {
  const { shape, advice } = SETTINGS[setting.name]
  return new Error(
    `${namedSetting(setting)}: ${happened}${describeFault(cause)}. It ${shape}. ${advice}`,
    { cause },
  )
}

/** Runs a step that needs a setting, and names the setting in whatever the step throws. */
export async function needing<Result>(
  setting: NamedSetting,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step()
  } catch (cause) {
    throw settingFault(setting, cause)
  }
}

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
