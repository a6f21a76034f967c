import type { Form } from './form.js'
import { ofClientAssertion, ofDocument, ofPastedKeys, ofRegistration } from './forms-of-clients.js'
import { ofIdentityAssertion, ofIntrospection, ofProof, ofProviderKeys } from './forms-of-others.js'

/** Every form, each read where the service reads it. */
export const FORMS: readonly (() => Promise<Form>)[] = [
  ofRegistration,
  () => ofDocument('client metadata document', 'document'),
  () => ofDocument('keys of a client', 'keys'),
  ofClientAssertion,
  ofIdentityAssertion,
  ofProviderKeys,
  ofProof,
  ofIntrospection,
  ofPastedKeys,
]
