import { COLLECTIONS } from '@muster/assisted-api';
import { type EventData, hostKeyOf, type RecordedMusterEvent } from '@muster/contracts';
import type { ReadDocument } from '@muster/event-sourcing';
import type { ReadModelChange } from '@muster/ports';
import { type EventSubject, eventDocuments } from '../event-log/event-document';
import { noteLog } from '../event-log/note-log';

const NOBODY: EventSubject['owner'] = { user_name: '', org_id: '', email_domain: '' };

/** A note belongs to the owner of its subject. Without an owner only administrators see it. */
export async function projectNote(event: RecordedMusterEvent, read: ReadDocument): Promise<readonly ReadModelChange[]> {
  const data = event.data as unknown as EventData<'NoteRecorded'>;
  const { clusterId, hostId, infraEnvId } = data;
  const subject =
    (clusterId && (await read(COLLECTIONS.clusters, clusterId))) ||
    (infraEnvId && (await read(COLLECTIONS.infraEnvs, infraEnvId))) ||
    (hostId && infraEnvId && (await read(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId))));
  const owner = (subject || NOBODY) as unknown as EventSubject['owner'];
  return eventDocuments(event, noteLog(data), { clusterId, hostId, infraEnvId, owner });
}
