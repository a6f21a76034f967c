import { createMeasured } from './common.mjs'

/** Metrics, and no trace. */
export const createSubject = ({ origin }) => createMeasured({ origin, sampled: 0 })
