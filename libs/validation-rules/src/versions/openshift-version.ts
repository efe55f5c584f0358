export { compareNumbers, isAtLeast, parseVersion } from '@muster/feature-support';
