// errors.ts
import type { ErrorRequestHandler } from 'express'

export const hideErrors: ErrorRequestHandler = (error, _req, res, next) => {
  const { status = 500 } = error as { status?: number }
  if (status >= 500) console.error(error)
  if (res.headersSent) next(error)
  else res.sendStatus(status)
}
