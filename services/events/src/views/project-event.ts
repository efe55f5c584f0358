import { isKnownEventType, parseStreamId, type MusterEvent } from '@muster/contracts';
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
    // Facts of a newer version are for its reader.
    if (!isKnownEventType(event.type)) return NOTHING;
    const { category, id } = parseStreamId(event.streamId);
    const occurrence = { position: event.position, at: event.metadata.occurredAt, actor: event.metadata.actor };
    switch (category) {
      case 'host':
      case 'inventory':
        return projectHost(id, event, occurrence, read, limits);
      case 'validation':
        return event.type === 'HostOutcomesChanged'
          ? projectHost(id, event, occurrence, read, limits)
          : projectCluster(id, event, occurrence, read);
      case 'cluster':
      case 'manifest':
        return projectCluster(id, event, occurrence, read);
      case 'infraEnv':
      case 'image':
        return projectInfraEnv(id, event, occurrence, read);
      case 'note':
        return projectNote(event, read);
      default:
        return NOTHING;
    }
  };

/** With the default limits. */
export const projectEvent: ProjectEvent<MusterEvent> = createProjectEvent(DEFAULT_MACHINE_LIMITS);
