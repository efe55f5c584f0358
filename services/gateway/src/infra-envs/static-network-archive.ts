import { buffer } from 'node:stream/consumers';
import { hostNetworkFiles } from '@muster/ignition-config';
import { DOCUMENT_TASKS, type DocumentWorkers } from '@muster/nest-kit';
import { createTar } from '../http/tar';

interface Networked {
  readonly openshift_version?: string;
  readonly static_network_config?: string;
}

/** The files of the hosts' static networks as a tar archive; empty when the infra-env has none. */
export async function staticNetworkArchive(
  { openshift_version, static_network_config }: Networked,
  documents: DocumentWorkers,
): Promise<Buffer> {
  const planned = await documents.run(DOCUMENT_TASKS.planStaticNetworks, {
    openshiftVersion: openshift_version ?? '',
    staticNetworkConfig: static_network_config ?? '',
  });
  if (!planned) return Buffer.alloc(0);
  const files = hostNetworkFiles(planned.networks.hosts, planned.form);
  // Absolute in the machine, relative in the archive as tar itself writes them.
  const entries = files.map(({ path, content }) => ({
    name: path.slice(1),
    open: () => Promise.resolve(Buffer.from(content)),
  }));
  return buffer(createTar(entries));
}
