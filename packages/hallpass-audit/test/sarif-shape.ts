/**
 * What SARIF 2.1.0 demands of the objects that a report has, as JSON Schema: their members, no others, and their words.
 * The whole schema of the standard, which is not part of this repository, accepts what this one does.
 */
const text = { type: 'string', minLength: 1 }
const bag = { type: 'object' }
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const list = (items: object) => ({ type: 'array', items })
const message = object({ text })
const level = { enum: ['none', 'note', 'warning', 'error'] }

const RULE = {
  id: text,
  shortDescription: message,
  fullDescription: message,
  help: message,
  helpUri: { type: 'string', format: 'uri' },
  defaultConfiguration: object({ level }),
  properties: bag,
}
// A document need not have an address.
const rule = object(
  RULE,
  Object.keys(RULE).filter((name) => name !== 'helpUri'),
)
const location = object({
  physicalLocation: object({
    artifactLocation: object({ uri: { type: 'string', format: 'uri-reference' } }),
    region: object({ startLine: { type: 'integer', minimum: 1 } }),
  }),
})
const suppression = object({
  kind: { enum: ['inSource', 'external'] },
  status: { enum: ['accepted', 'underReview', 'rejected'] },
  justification: text,
})
const RESULT = {
  ruleId: text,
  ruleIndex: { type: 'integer', minimum: 0 },
  // A level other than "none" is of a result that failed.
  kind: { enum: ['fail', 'open'] },
  level,
  message,
  locations: list(location),
  partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
  properties: bag,
}
const result = object({ ...RESULT, suppressions: list(suppression) }, Object.keys(RESULT))

export const SARIF_SHAPE: object = object({
  $schema: { type: 'string', format: 'uri' },
  version: { const: '2.1.0' },
  runs: list(
    object({
      tool: object({
        driver: object({
          name: text,
          semanticVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
          rules: list(rule),
        }),
      }),
      invocations: list(
        object({
          executionSuccessful: { type: 'boolean' },
          startTimeUtc: { type: 'string', format: 'date-time' },
        }),
      ),
      automationDetails: object({ id: text }),
      results: list(result),
      properties: bag,
    }),
  ),
})
