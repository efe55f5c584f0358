export { ARCHITECTURES, type Architecture } from './architectures';
export {
  createBaseImage,
  DEFAULT_SOURCE_DATE_EPOCH,
  DEFAULT_VOLUME_ID,
  type BaseImage,
  type BaseImageOptions,
} from './create-base-image';
export { runXorriso, XorrisoError } from './xorriso';
