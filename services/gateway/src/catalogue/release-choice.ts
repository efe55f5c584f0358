import { Injectable } from '@nestjs/common';
import { type RegisterClusterBody, VersionCatalogue } from '@muster/assisted-api';
import type { ClusterSettings, InfraEnvSettings, Plain } from '@muster/contracts';
import { RefusalError } from '@muster/problems';

const DEFAULT_ARCHITECTURE = 'x86_64';

/** Turns the version that a person names into what the catalogue has for it. Throws RefusalError when it has nothing. */
@Injectable()
export class ReleaseChoice {
  constructor(private readonly catalogue: VersionCatalogue) {}

  /** A release image of the person's own is taken as it is. */
  ofCluster(
    body: Pick<RegisterClusterBody, 'openshift_version' | 'ocp_release_image' | 'cpu_architecture'>,
  ): Pick<Plain<ClusterSettings>, 'openshiftVersion' | 'ocpReleaseImage' | 'cpuArchitecture'> {
    const cpuArchitecture = normalised(body.cpu_architecture);
    if (body.ocp_release_image)
      return { openshiftVersion: body.openshift_version, ocpReleaseImage: body.ocp_release_image, cpuArchitecture };
    const release = this.catalogue.findRelease(body.openshift_version, cpuArchitecture);
    if (!release) throw noVersion(body.openshift_version, cpuArchitecture, this.catalogue.versionNames());
    return {
      openshiftVersion: release.version,
      ocpReleaseImage: release.url,
      cpuArchitecture: release.cpu_architecture === 'multi' ? 'multi' : cpuArchitecture,
    };
  }

  /** The version whose live image the hosts boot: of the infra-env, else of its cluster, else the default one. */
  ofInfraEnv(
    openshiftVersion: string,
    cpuArchitecture: string | undefined,
  ): Pick<Plain<InfraEnvSettings>, 'openshiftVersion' | 'cpuArchitecture'> {
    const architecture = normalised(cpuArchitecture);
    const image = this.catalogue.findOsImage(openshiftVersion, architecture);
    if (!image) throw noVersion(openshiftVersion, architecture, this.catalogue.osVersionNames());
    return { openshiftVersion: image.openshift_version, cpuArchitecture: architecture };
  }
}

const normalised = (architecture: string | undefined): string =>
  architecture === 'aarch64' ? 'arm64' : (architecture ?? DEFAULT_ARCHITECTURE);

const noVersion = (version: string, architecture: string, allowed: readonly string[]): RefusalError =>
  new RefusalError({
    code: 'invalid-input',
    reason: `openshift_version ${JSON.stringify(version.slice(0, 64))} is not in the catalogue for ${architecture}.`,
    subject: 'openshift_version',
    allowed,
  });
