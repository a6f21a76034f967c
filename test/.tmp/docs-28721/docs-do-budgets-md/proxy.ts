// proxy.ts
import { networkOfAddress } from 'hallpass/node'

export const networkOf = (request: Request): string | null =>
  networkOfAddress(request.headers.get('x-real-ip') ?? '')
