import { parseStreamId, type MusterEvent, isEventOf } from '@muster/contracts';
import type { ProjectEvent } from '@muster/event-sourcing';
import type { ReadModelChange } from '@muster/ports';
import { projectMetrics } from '../metrics/project-metrics';
import { DEFAULT_MACHINE_LIMITS, type MachineLimits } from './machine-limits';
import { projectCluster } from './project-cluster';
import { projectHost } from './project-host';
import { projectInfraEnv } from './project-infra-env';
import { projectNote } from './project-note';

const NOTHING: Promise<readonly ReadModelChange[]> = Promise.resolve([]);

/**
 * The projection `views`: the changes of the documents that a stored event causes. Each document says
 * which event changed it last, so an event that is handed out again changes nothing.
 */
export const createProjectEvent = (limits: MachineLimits): ProjectEvent<MusterEvent> => {
  const projectDocuments = createProjectDocuments(limits);
  return async (event, read) => {
    const documents = await projectDocuments(event, read);
    const metrics = await projectMetrics(event, read);
    return metrics.length > 0 ? [...documents, ...metrics] : documents;
  };
};

const createProjectDocuments =
  (limits: MachineLimits): ProjectEvent<MusterEvent> =>
  (event, read) => {
    const { id } = parseStreamId(event.streamId);
    const occurrence = { position: event.position, at: event.metadata.occurredAt, actor: event.metadata.actor };
    if (isEventOf('host', event) || isEventOf('inventory', event) || event.type === 'HostOutcomesChanged')
      return projectHost(id, event, occurrence, read, limits);
    if (isEventOf('cluster', event) || isEventOf('manifest', event) || event.type === 'ClusterOutcomesChanged')
      return projectCluster(id, event, occurrence, read);
    if (isEventOf('infraEnv', event) || isEventOf('image', event)) return projectInfraEnv(id, event, occurrence, read);
    if (isEventOf('note', event)) return projectNote(event, read);
    // Artifacts have no document, and the events of a newer version are unknown here.
    return NOTHING;
  };

/** With the default limits. */
export const projectEvent: ProjectEvent<MusterEvent> = createProjectEvent(DEFAULT_MACHINE_LIMITS);
