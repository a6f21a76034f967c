import { createMeasured } from './common.mjs'

/** Metrics, and one trace in twenty. */
export const createSubject = ({ origin }) => createMeasured({ origin, sampled: 0.05 })
