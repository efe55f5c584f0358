import type { ReleaseSource } from './release-sources';
import type { OsImage, ReleaseImage } from './version-catalogue';

type Members = { readonly [member: string]: unknown };

const IMAGES = 'a JSON array of objects with openshift_version, cpu_architecture, url and version, each a text';

/** What each setting must be, for error messages. */
export const CATALOGUE_SHAPES = {
  RELEASE_IMAGES: IMAGES,
  OS_IMAGES: IMAGES,
  RHCOS_VERSIONS: IMAGES,
  RELEASE_SOURCES:
    'a JSON array of objects with openshift_version, multi_cpu_architectures and upgrade_channels of cpu_architecture and channels',
} as const;

export const areReleaseImages = (value: unknown): value is readonly ReleaseImage[] =>
  isListOf(value, (entry) => isImage(entry) && isAbsentOr(isTexts)(entry['cpu_architectures']));

export const areOsImages = (value: unknown): value is readonly OsImage[] => isListOf(value, isImage);

export const areReleaseSources = (value: unknown): value is readonly ReleaseSource[] =>
  isListOf(
    value,
    (entry) =>
      isText(entry['openshift_version']) &&
      isTexts(entry['multi_cpu_architectures']) &&
      isListOf(
        entry['upgrade_channels'],
        (channel) => isText(channel['cpu_architecture']) && isTexts(channel['channels']),
      ),
  );

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isAbsentOr =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || value === null || is(value);

const isImage = (entry: Members): boolean =>
  ['openshift_version', 'cpu_architecture', 'url', 'version'].every((member) => isText(entry[member]));

function isListOf(value: unknown, is: (entry: Members) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((entry: unknown) => typeof entry === 'object' && entry !== null && is(entry as Members))
  );
}
