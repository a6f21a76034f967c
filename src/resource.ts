export {
  challengeFor,
  RESOURCE_METADATA_PATH,
  type AccessSource,
  authorizeBearer,
} from './resource/gate.js'
