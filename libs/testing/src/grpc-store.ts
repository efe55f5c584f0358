/* eslint-disable @typescript-eslint/consistent-type-assertions -- the generated code has no types for the side of a server */
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import {
  Empty,
  AllStreamPosition,
  MaximumAppendSizeExceeded,
  StreamIdentifier,
  UUID,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import {
  type BatchAppendReq,
  BatchAppendResp,
  type ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb';
import {
  Metadata,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';

interface Stored {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly metadata: readonly (readonly [string, string])[];
  readonly data: Uint8Array;
  readonly customMetadata: Uint8Array;
}

const MAX_APPEND_BYTES = 1024 ** 2;
const POSITION_STEP = 100;
const SERVICE = 'event_store.client.streams.Streams';

/**
 * Implements the part of EventStoreDB's protocol that the adapter uses, with a list in memory, behind a TCP proxy that
 * can simulate faults.
 */
export interface GrpcStore extends Omit<TcpProxy, 'port'> {
  readonly url: string;
  /** The next append is stored, and its answer is not sent. */
  loseNextAnswer(): void;
  /** False: appends are answered as by a starting server. */
  setReady(isReady: boolean): void;
  /** Reads that need the leader are answered with the address of the other store, as by a node that was the leader. */
  resignTo(leader: GrpcStore): void;
  /** The clock of the server is ahead of the clock of its clients. */
  setClockAhead(ms: number): void;
  readonly appends: number;
  /** Number of open streams for appends. */
  readonly appendStreams: number;
}

export async function startGrpcStore(): Promise<GrpcStore> {
  const log: Stored[] = [];
  let isReady = true;
  let losesAnswer = false;
  let appends = 0;
  let appendStreams = 0;
  let clockAheadMs = 0;
  let leader: URL | undefined;

  const read = (call: ServerWritableStream<ReadReq, ReadResp>): void => {
    const options = call.request.getOptions();
    if (!options) return void call.end();
    if (options.hasSubscription()) return;
    if (leader && call.metadata.get('requires-leader').length > 0)
      return void call.emit('error', { code: status.NOT_FOUND, details: 'Leader info', metadata: leaderInfo(leader) });
    const stream = options.getStream();
    const name = stream && nameOf(stream.getStreamIdentifier()?.getStreamName());
    const ofStream = name === undefined ? log : log.filter((event) => event.stream === name);
    if (name !== undefined && ofStream.length === 0) {
      const answer = new ReadResp();
      const missing = new ReadResp.StreamNotFound();
      missing.setStreamIdentifier(stream?.getStreamIdentifier());
      answer.setStreamNotFound(missing);
      call.write(answer);
      return void call.end();
    }
    const isBackwards = Number(options.getReadDirection()) === 1;
    const from = Number(stream ? stream.getRevision() : (options.getAll()?.getPosition()?.getCommitPosition() ?? 0));
    const isFromEnd = stream?.hasEnd() ?? options.getAll()?.hasEnd() ?? false;
    const placeOf = (event: Stored): number => (name === undefined ? event.position : event.revision);
    const found = isBackwards
      ? ofStream.filter((event) => isFromEnd || placeOf(event) <= from).reverse()
      : ofStream.filter((event) => placeOf(event) >= from);
    for (const event of found.slice(0, Number(options.getCount()))) call.write(toAnswer(event));
    call.end();
  };

  const append = (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void => {
    appendStreams += 1;
    call.on('error', () => undefined);
    call.on('end', () => call.end());
    call.on('close', () => (appendStreams -= 1));
    call.on('data', (request: BatchAppendReq) => {
      appends += 1;
      const answer = new BatchAppendResp();
      answer.setCorrelationId(request.getCorrelationId());
      answer.setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
      const outcome = isReady ? store(request) : failure('Server Is Not Ready', undefined);
      if (outcome instanceof Status) answer.setError(outcome);
      else answer.setSuccess(outcome);
      if (losesAnswer) losesAnswer = false;
      else call.write(answer);
    });
  };

  const store = (request: BatchAppendReq): Status | BatchAppendResp.Success => {
    const name = nameOf(request.getOptions()?.getStreamIdentifier()?.getStreamName());
    const messages = request.getProposedMessagesList();
    const deadlineMs = request.getOptions()?.getDeadline()?.toDate().getTime() ?? Infinity;
    if (deadlineMs < Date.now() + clockAheadMs) return failure('late', pack(new Empty(), 'event_store.client.Timeout'));
    if (request.serializeBinary().length > MAX_APPEND_BYTES) {
      const details = new MaximumAppendSizeExceeded();
      details.setMaxappendsize(MAX_APPEND_BYTES);
      return failure('too large', pack(details, 'event_store.client.MaximumAppendSizeExceeded'));
    }
    const before = log.filter((event) => event.stream === name);
    const expected = request.getOptions()?.hasStreamPosition() ? Number(request.getOptions()?.getStreamPosition()) : -1;
    const known = before.find((event) => event.id === messages[0]?.getId()?.getString());
    if (!known && expected !== before.length - 1) {
      const details = new WrongExpectedVersion();
      if (before.length > 0) details.setCurrentStreamRevision(String(before.length - 1));
      else details.setCurrentNoStream(new Empty());
      return failure('wrong version', pack(details, 'event_store.client.WrongExpectedVersion'));
    }
    const revision = known ? known.revision : before.length;
    if (!known)
      for (const [n, message] of messages.entries())
        log.push({
          id: message.getId()?.getString() ?? '',
          stream: name,
          revision: before.length + n,
          position: log.length * POSITION_STEP,
          metadata: message.getMetadataMap().getEntryList() as [string, string][],
          data: message.getData_asU8(),
          customMetadata: message.getCustomMetadata_asU8(),
        });
    const last = log.find((event) => event.stream === name && event.revision === revision + messages.length - 1);
    const success = new BatchAppendResp.Success();
    success.setCurrentRevision(String(last?.revision ?? 0));
    const position = new AllStreamPosition();
    position.setCommitPosition(String(last?.position ?? 0));
    position.setPreparePosition(String(last?.position ?? 0));
    success.setPosition(position);
    return success;
  };

  const features = (
    _call: ServerUnaryCall<unknown, SupportedMethods>,
    answer: sendUnaryData<SupportedMethods>,
  ): void => {
    const methods = new SupportedMethods();
    const method = new SupportedMethod();
    method.setServiceName(SERVICE);
    method.setMethodName('batchappend');
    methods.addMethods(method);
    answer(null, methods);
  };

  const server = new Server({ 'grpc.max_receive_message_length': 8 * MAX_APPEND_BYTES });
  const none = (): void => undefined;
  server.addService(
    StreamsService as never,
    { read, append: none, delete: none, tombstone: none, batchAppend: append } as never,
  );
  server.addService(ServerFeaturesService as never, { getSupportedMethods: features } as never);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const proxy = await startTcpProxy(port);
  return {
    url: `esdb://127.0.0.1:${proxy.port}?tls=false`,
    ...proxy,
    loseNextAnswer: () => {
      losesAnswer = true;
    },
    setReady: (ready) => {
      isReady = ready;
    },
    resignTo: ({ url }) => {
      leader = new URL(url);
    },
    setClockAhead: (ms) => {
      clockAheadMs = ms;
    },
    get appends() {
      return appends;
    },
    get appendStreams() {
      return appendStreams;
    },
    close: async () => {
      await proxy.close();
      server.forceShutdown();
    },
  };
}

const leaderInfo = ({ hostname, port }: URL): Metadata => {
  const info = new Metadata();
  info.set('exception', 'not-leader');
  info.set('leader-endpoint-host', hostname);
  info.set('leader-endpoint-port', port);
  return info;
};

const nameOf = (name: Uint8Array | string | undefined): string =>
  (typeof name === 'string' ? Buffer.from(name, 'base64') : Buffer.from(name ?? [])).toString();

function pack(details: { serializeBinary(): Uint8Array }, type: string): Any {
  const any = new Any();
  any.pack(details.serializeBinary(), type);
  return any;
}

function failure(message: string, details: Any | undefined): Status {
  const status = new Status();
  status.setMessage(message);
  status.setDetails(details ?? pack(new Empty(), 'event_store.client.Other'));
  return status;
}

function toAnswer(event: Stored): ReadResp {
  const recorded = new ReadResp.ReadEvent.RecordedEvent();
  const id = new UUID();
  id.setString(event.id);
  recorded.setId(id);
  const identifier = new StreamIdentifier();
  identifier.setStreamName(Buffer.from(event.stream).toString('base64'));
  recorded.setStreamIdentifier(identifier);
  recorded.setStreamRevision(String(event.revision));
  recorded.setCommitPosition(String(event.position));
  recorded.setPreparePosition(String(event.position));
  for (const [key, value] of event.metadata) recorded.getMetadataMap().set(key, value);
  recorded.getMetadataMap().set('created', '17000000000000000');
  recorded.setData(event.data);
  recorded.setCustomMetadata(event.customMetadata);
  const found = new ReadResp.ReadEvent();
  found.setEvent(recorded);
  found.setCommitPosition(String(event.position));
  const answer = new ReadResp();
  answer.setEvent(found);
  return answer;
}
