export {
  challengeFor,
  RESOURCE_METADATA_PATH,
  type AccessSource,
  authorizeBearer,
} from './resource/gate.js'
export {
  createProtectedResource,
  type Gate,
  type GateRequest,
  type ProtectedResource,
} from './resource/protected-resource.js'
