import { parentPort } from 'node:worker_threads';
import { errorMessage } from '@muster/schema';
import type { PkiInput } from './certificates.table';
import { createClusterPki } from './cluster-pki';
import type { PkiReply } from './pki-thread';

const reply = (message: PkiReply): void => parentPort?.postMessage(message);

parentPort?.on('message', ({ id, input }: { readonly id: number; readonly input: PkiInput }) => {
  createClusterPki(input).then(
    (pki) => reply({ id, text: JSON.stringify(pki) }),
    (error: unknown) => reply({ id, error: errorMessage(error) }),
  );
});
