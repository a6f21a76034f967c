export {
  challengeFor,
  type ChallengeOptions,
  RESOURCE_METADATA_PATH,
  type AccessSource,
  authorizeBearer,
} from './protected-resource/gate.js'
export {
  createProtectedResource,
  type Gate,
  type GateRequest,
  type ProtectedResource,
} from './protected-resource/protected-resource.js'
