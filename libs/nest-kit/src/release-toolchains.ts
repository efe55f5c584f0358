import type { SettingsReader } from './settings/settings-reader';

export type ToolchainName = 'builtin' | 'openshift-install';

/** The toolchain of each release, which creates its installation artifacts. Several services must use the same. */
export interface ReleaseToolchains {
  /** Returns the toolchain of a release image, or the reason why the release cannot be installed and the remedy. */
  readonly of: (releaseImage: string) => ToolchainChoice;
}

export type ToolchainChoice =
  | { readonly kind: 'chosen'; readonly toolchain: ToolchainName }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Reads INSTALL_TOOLCHAIN and the simulated releases in RELEASE_IMAGES. Rejects `builtin` for a catalogue with real
 * releases.
 */
export function readReleaseToolchains(settings: SettingsReader): ReleaseToolchains {
  const setting = settings.get('INSTALL_TOOLCHAIN');
  const releases = settings.get('RELEASE_IMAGES');
  const simulated = new Set((releases ?? []).flatMap(({ simulated: isMarked, url }) => (isMarked ? [url] : [])));
  if (setting === 'builtin') {
    const real = releases?.filter(({ url }) => !simulated.has(url)).map(({ version }) => version);
    const names = real ? real.join(', ') : 'all of the default catalogue';
    if (names !== '')
      settings.reject(
        'INSTALL_TOOLCHAIN',
        setting,
        `auto or openshift-install. builtin supports releases that RELEASE_IMAGES marks with "simulated": true; these releases are real: ${names}`,
      );
  }
  return {
    of: (releaseImage) => {
      const isSimulated = simulated.has(releaseImage);
      if (setting === 'auto') return { kind: 'chosen', toolchain: isSimulated ? 'builtin' : 'openshift-install' };
      return setting === 'builtin' && !isSimulated
        ? { kind: 'refused', reason: builtinRefusal(releaseImage) }
        : { kind: 'chosen', toolchain: setting };
    },
  };
}

const builtinRefusal = (releaseImage: string): string =>
  `The release ${releaseImage || '(none)'} is real, and INSTALL_TOOLCHAIN=builtin creates artifacts for simulated releases only. Ask an administrator to unset INSTALL_TOOLCHAIN, or choose a release that RELEASE_IMAGES marks as simulated.`;
