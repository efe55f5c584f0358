import { type RegisterClusterBody, type ReleaseImage, VersionCatalogue } from '@muster/assisted-api';
import type { ClusterSettings, InfraEnvSettings, Plain } from '@muster/contracts';
import { canonicalArchitecture } from '@muster/feature-support';
import { isInRegistry } from '@muster/ignition-config';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';

const DEFAULT_ARCHITECTURE = 'x86_64';

/** Finds the release and the live image for a version. */
@Injectable()
export class ReleaseChoice {
  constructor(
    private readonly catalogue: VersionCatalogue,
    @Inject(GATEWAY_CONFIG)
    private readonly config: Pick<GatewayConfig, 'releaseImages' | 'allowedReleaseRegistries' | 'toolchains'>,
  ) {}

  /**
   * Returns the release of a new cluster. `ocp_release_image` overrides the image of the version: the ignition service runs a
   * program from that image, so only administrators may name an image outside of RELEASE_IMAGES and ALLOWED_RELEASE_REGISTRIES.
   * @throws RefusalError `forbidden` for such an image, `invalid-input` for an unknown version, for an image of RELEASE_IMAGES with
   * another architecture, and for a release that no toolchain of this service installs.
   */
  ofCluster(
    body: Pick<RegisterClusterBody, 'openshift_version' | 'ocp_release_image' | 'cpu_architecture'>,
    caller: Caller,
  ): Pick<Plain<ClusterSettings>, 'openshiftVersion' | 'ocpReleaseImage' | 'cpuArchitecture'> {
    const cpuArchitecture = normalised(body.cpu_architecture);
    if (body.ocp_release_image) {
      this.assertTrusted(body.ocp_release_image, caller);
      this.assertInstallable(body.ocp_release_image, 'ocp_release_image');
      const listed = this.listedRelease(body.ocp_release_image, body.cpu_architecture);
      return {
        openshiftVersion: listed?.version ?? body.openshift_version,
        ocpReleaseImage: body.ocp_release_image,
        cpuArchitecture: listed?.cpu_architecture ?? cpuArchitecture,
      };
    }
    const release = this.catalogue.findRelease(body.openshift_version, cpuArchitecture);
    if (!release) throw noVersion(body.openshift_version, cpuArchitecture, this.catalogue.versionNames());
    this.assertInstallable(release.url, 'openshift_version');
    return {
      openshiftVersion: release.version,
      ocpReleaseImage: release.url,
      cpuArchitecture: release.cpu_architecture === 'multi' ? 'multi' : cpuArchitecture,
    };
  }

  /** Returns the architecture of a request, also for a release that serves several. */
  architectureOf({
    cpu_architecture: given,
    ocp_release_image: image,
  }: Pick<RegisterClusterBody, 'cpu_architecture' | 'ocp_release_image'>): string {
    const listed = image && given === undefined ? this.listedRelease(image, given)?.cpu_architecture : undefined;
    return listed && listed !== MULTI ? listed : normalised(given);
  }

  /**
   * Returns the entry of RELEASE_IMAGES for the image; undefined for another image. Without an architecture in the request, the entry
   * decides it.
   * @throws RefusalError `invalid-input` when the image is not for the architecture
   */
  private listedRelease(image: string, given: string | undefined): ReleaseImage | undefined {
    const entries = this.catalogue.releases.filter(({ url }) => url === image);
    const wanted = normalised(given);
    const found = entries.find((entry) => entry.cpu_architecture === wanted) ?? entries.find(serves(wanted));
    if (found || entries.length === 0) return found;
    if (given === undefined) return entries[0];
    const architectures = [...new Set(entries.flatMap(architecturesOf))];
    throw new RefusalError({
      code: 'invalid-input',
      reason: `ocp_release_image '${image.slice(0, IMAGE_DISPLAY_MAX)}' is a release for ${architectures.join(' and ')}, not for ${wanted}. Change cpu_architecture or the image.`,
      subject: 'cpu_architecture',
      allowed: architectures,
    });
  }

  private assertInstallable(image: string, subject: string): void {
    const choice = this.config.toolchains.of(image);
    if (choice.kind === 'refused') throw new RefusalError({ code: 'invalid-input', reason: choice.reason, subject });
  }

  private assertTrusted(image: string, { role }: Caller): void {
    const { releaseImages, allowedReleaseRegistries } = this.config;
    if (role === 'admin' || releaseImages.some(({ url }) => url === image)) return;
    if (allowedReleaseRegistries.some((registry) => isInRegistry(image, registry))) return;
    throw new RefusalError({
      code: 'forbidden',
      reason:
        `ocp_release_image '${image.slice(0, IMAGE_DISPLAY_MAX)}' is not one of the releases of this service. ` +
        'Choose openshift_version instead, or ask an administrator to add the registry to ALLOWED_RELEASE_REGISTRIES.',
      subject: 'ocp_release_image',
    });
  }

  /**
   * Returns the version of the live image: that of the infra-env, otherwise that of its cluster, otherwise the default
   * version.
   */
  ofInfraEnv(
    openshiftVersion: string,
    cpuArchitecture: string | undefined,
    imageType: string,
  ): Pick<Plain<InfraEnvSettings>, 'openshiftVersion' | 'cpuArchitecture'> {
    const architecture = normalised(cpuArchitecture);
    const image = this.catalogue.findOsImage(openshiftVersion, architecture, imageType);
    if (!image) throw noVersion(openshiftVersion, architecture, this.catalogue.osVersionNames(imageType));
    return { openshiftVersion: image.openshift_version, cpuArchitecture: architecture };
  }
}

const IMAGE_DISPLAY_MAX = 128;
const MULTI = 'multi';

const architecturesOf = ({ cpu_architecture: own, cpu_architectures: listed }: ReleaseImage): readonly string[] =>
  listed && listed.length > 0 ? listed : [own];

/** A multi-architecture release whose entry lists no architectures serves all of them. */
const serves =
  (architecture: string) =>
  (entry: ReleaseImage): boolean =>
    entry.cpu_architecture === MULTI && [architecture, MULTI].some((one) => architecturesOf(entry).includes(one));

const normalised = (architecture = DEFAULT_ARCHITECTURE): string => canonicalArchitecture(architecture);

const noVersion = (version: string, architecture: string, allowed: readonly string[]): RefusalError =>
  new RefusalError({
    code: 'invalid-input',
    reason: `openshift_version ${JSON.stringify(version.slice(0, 64))} is not in the catalogue for ${architecture}.`,
    subject: 'openshift_version',
    allowed,
  });
