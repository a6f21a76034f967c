import { createMeasured } from './common.mjs'

/** Metrics, and every trace. */
export const createSubject = ({ origin }) => createMeasured({ origin, sampled: 1 })
