import { createTarGz, HttpRefused, KUBE_RESOURCES } from '@muster/host-api';
import { abortAfter } from '@muster/ports';
import { createJsonReader, errorMessage, textAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { type Controller, INTERVALS_MS, note, openClient, persist } from './controller';

const NAMESPACE = 'assisted-installer';
const LOG_NAME = 'assisted-installer-controller.logs';
const OWN_LOG = '/tmp/controller_logs.log';
const RESOLV_CONFS = ['/tmp/var-run-resolv.conf', '/tmp/host-resolv.conf'];

/** Sends the log of the controller every few minutes, so that it is available when the installation fails. */
export async function sendLogsRepeatedly(controller: Controller, signal: AbortSignal): Promise<void> {
  const { timer } = controller;
  await timer.sleep(INTERVALS_MS.logs, signal);
  while (!signal.aborted) {
    await upload(controller, {}, signal).catch(() => undefined);
    await timer.sleep(INTERVALS_MS.logs, signal);
  }
}

/** The service may be unavailable for good, and the Job must end. */
const FINAL_LOGS_MS_MAX = 70 * 60_000;
/** Leaves time to send the logs without it. */
const MUST_GATHER_MS_MAX = 50 * 60_000;
const INSUFFICIENT_STORAGE = 507;

/**
 * Sends the last log, after a failure also the output of must-gather, which takes long or may not end in a broken
 * cluster. Gives up after 70 minutes.
 */
export async function sendFinalLogs(controller: Controller, hasFailed: boolean, ended: AbortSignal): Promise<void> {
  const { api, settings } = controller;
  const signal = abortAfter(FINAL_LOGS_MS_MAX, ended);
  const report = (state: 'requested' | 'completed'): Promise<void> =>
    api.reportClusterLogs(settings.clusterId, state, signal);
  await persist(controller, 'Reporting the logs', INTERVALS_MS.finalizing, () => report('requested'), signal);
  // The log is sent before must-gather runs, because it contains the failure.
  if (hasFailed)
    await upload(controller, {}, signal).catch((error: unknown) =>
      note(controller, `The log is sent with the diagnosis: ${errorMessage(error)}`),
    );
  let more = hasFailed ? await diagnosis(controller, signal) : {};
  const send = (): Promise<void> =>
    upload(controller, more, signal).catch((error: unknown) => {
      if (Object.keys(more).length === 0 || !isRefusedForGood(error)) throw error;
      // The log of the controller is small, so the service may accept it without the diagnosis.
      note(controller, `The diagnosis is not sent: ${errorMessage(error)}`);
      more = {};
      return upload(controller, more, signal);
    });
  await persist(controller, 'Sending the last logs', INTERVALS_MS.finalizing, send, signal);
  await persist(controller, 'Reporting the logs', INTERVALS_MS.finalizing, () => report('completed'), signal);
}

/** The archive is too large, or the storage of the service is full. */
const isRefusedForGood = (error: unknown): boolean =>
  error instanceof HttpRefused && (error.status < 500 || error.status === INSUFFICIENT_STORAGE);

async function upload(
  controller: Controller,
  more: { readonly [name: string]: Buffer },
  signal: AbortSignal,
): Promise<void> {
  const archive = await createTarGz({ [LOG_NAME]: await ownLog(controller, signal), ...more });
  await controller.api.uploadControllerLogs(controller.settings.clusterId, archive, signal);
}

async function ownLog({ cluster, host }: Controller, signal: AbortSignal): Promise<string | Buffer> {
  try {
    const query = { namespace: NAMESPACE, labelSelector: 'job-name=assisted-installer-controller' };
    const pods = await cluster.list(KUBE_RESOURCES.pods, query, signal);
    const running = pods.find((pod) => textAt(pod, 'status', 'phase') === 'Running');
    if (running) return await cluster.podLog({ namespace: NAMESPACE, name: running.metadata.name }, {}, signal);
  } catch {
    // The file contains the same lines as the log.
  }
  return (await host.readFile(OWN_LOG)) ?? '';
}

async function diagnosis(controller: Controller, signal: AbortSignal): Promise<{ readonly [name: string]: Buffer }> {
  const files: Record<string, Buffer> = {};
  for (const path of RESOLV_CONFS) {
    const content = await controller.host.readFile(path);
    if (content) files[path.replace('/tmp/', '')] = content;
  }
  const limit = AbortSignal.timeout(MUST_GATHER_MS_MAX);
  const report = (what: string, error: unknown): void => {
    const late = limit.aborted && `it did not end within ${MUST_GATHER_MS_MAX / 60_000} minutes`;
    note(controller, `must-gather ${what}: ${late || errorMessage(error)}`);
  };
  try {
    const folder = `${controller.host.folder}/must-gather`;
    const failure = await mustGather(controller, folder, AbortSignal.any([signal, limit])).catch(
      (error: Error) => error,
    );
    files['must-gather.tar.gz'] = await controller.host.archive(folder, signal).catch((error: unknown) => {
      throw failure ?? error;
    });
    if (failure) report('is not complete', failure);
  } catch (error) {
    report('failed', error);
  }
  return files;
}

/** Writes into the folder. A failed must-gather has written a part. */
async function mustGather(controller: Controller, folder: string, signal: AbortSignal): Promise<undefined> {
  const images = (await mustGatherImages(controller, signal)).map((image) => `--image=${image}`);
  const oc = await openClient(controller, signal);
  await oc('adm', 'must-gather', ...images, `--dest-dir=${folder}`);
}

const readImages = createJsonReader(Type.Record(Type.String(), Type.String()), { name: 'must_gather_image' });
/** The name of the image for the cluster itself. */
const CLUSTER_IMAGE = 'ocp';
/** Older names of operators, under which a setting may have their images. */
const OLDER_NAMES = new Map([['odf', 'ocs']]);

/**
 * Returns the images of a setting that names one, or one per operator. Each takes minutes, so only those of the failed operators are
 * used, and that of the cluster when it failed or when the operators have none.
 */
async function mustGatherImages({ api, settings }: Controller, signal: AbortSignal): Promise<readonly string[]> {
  const { clusterId, mustGatherImage: setting } = settings;
  if (!setting.startsWith('{')) return setting === '' ? [] : [setting];
  const images = new Map(Object.entries(readImages(setting)));
  const imagesOf = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => images.get(name) ?? images.get(OLDER_NAMES.get(name) ?? '') ?? []);
  const { status } = await api.cluster(clusterId, false, signal);
  const operators = await api.operators(clusterId, signal);
  const failed = operators.filter((operator) => operator.status === 'failed').map(({ name }) => name);
  const ofOperators = imagesOf(failed);
  const needsCluster = status === 'error' || ofOperators.length === 0;
  return [...(needsCluster ? imagesOf([CLUSTER_IMAGE]) : []), ...ofOperators];
}
