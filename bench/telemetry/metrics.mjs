import { createMeasured } from './common.mjs'

/** Metrics, and no tracer. */
export const createSubject = ({ origin }) => createMeasured({ origin, sampled: 0 })
