import type { Vendor } from 'hallpass/policy'
import type { RedirectPreset } from '../../../pages/applications/views.js'

const VENDORS = ['claude', 'chatgpt', 'vscode', 'cursor']
const LOOPBACK = 'loopback'

/** Returns the presets for redirect addresses: well-known apps, and an app on the person's own computer. */
export const presetsOf = (vendors: readonly Vendor[]): readonly RedirectPreset[] => [
  ...vendors
    .filter(({ clientId }) => VENDORS.includes(clientId))
    .map(({ clientId, name }) => ({ preset: clientId, label: name })),
  { preset: LOOPBACK, label: null },
]

/** Returns the addresses of a preset, or none if there is no preset of this name. */
export function findPreset(vendors: readonly Vendor[], preset: string): readonly string[] {
  if (preset === LOOPBACK) return ['http://127.0.0.1/callback']
  if (!VENDORS.includes(preset)) return []
  return vendors.find(({ clientId }) => clientId === preset)?.redirectUris ?? []
}
