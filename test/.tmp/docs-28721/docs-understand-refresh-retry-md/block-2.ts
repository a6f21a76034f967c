import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import { REFRESH_POLICY } from 'hallpass/policy'

export const refreshPolicies: AuthorizationServerOptions['refreshPolicies'] = {
  native: { ...REFRESH_POLICY.severalProcesses, catchUpSeconds: 86_400 },
  public: REFRESH_POLICY.lostResponse,
}
