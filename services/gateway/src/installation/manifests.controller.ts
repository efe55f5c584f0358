import {
  CreateManifestBody,
  ListManifestsQuery,
  MANIFEST_FOLDERS,
  ManifestQuery,
  ReviseManifestBody,
  type Static,
  StringEnum,
} from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import type { OutputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  type StreamableFile,
} from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers, AnswersFile, AnswersNothing } from '../api-document/answers.decorator';
import { Accepts } from '../auth/caller';
import { OpenedByUrl } from '../auth/download-urls';
import { Context } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { attachment } from '../http/file-answers';
import { IdPipe } from '../http/request.pipes';

/** `manifest` of the v2 API. */
export const V2_MANIFEST = Type.Object(
  {
    folder: StringEnum<string>(MANIFEST_FOLDERS),
    file_name: Type.String(),
    manifest_source: StringEnum<string>(['user', 'system']),
  },
  { title: 'manifest' },
);
export type V2Manifest = Static<typeof V2_MANIFEST>;

type Entry = OutputOf<typeof IgnitionService.method.listManifests>['manifests'][number];

export const presentManifest = ({ folder, fileName, source }: Entry): V2Manifest => ({
  folder,
  file_name: fileName,
  manifest_source: source,
});

const BLANKS = codesOf(' \t\n\v\f\r');
const DIGITS = codesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = '='.charCodeAt(0);
const PADDING_MAX = 2;

function codesOf(characters: string): ReadonlySet<number> {
  return new Set(Buffer.from(characters));
}

/** Returns the number of characters without blanks; undefined when the text is not base64. A pattern takes longer for many blanks. */
function base64Length(text: string): number | undefined {
  let length = 0;
  let padding = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (BLANKS.has(code)) continue;
    if (code === PADDING) padding += 1;
    else if (padding > 0 || !DIGITS.has(code)) return undefined;
    length += 1;
  }
  return length % 4 === 0 && padding <= PADDING_MAX ? length : undefined;
}

/**
 * Returns the text as base64 without line breaks.
 * @throws RefusalError when it is empty or not base64; the reason does not contain the text
 */
export function checkBase64(field: string, text: string): string {
  const length = base64Length(text);
  if (length) return Buffer.from(text, 'base64').toString('base64');
  throw new RefusalError({
    code: 'invalid-input',
    reason: length === 0 ? `${field} is empty.` : `${field} is not base64.`,
    subject: field,
  });
}

@Controller('v2/clusters/:cluster_id/manifests')
export class ManifestsController {
  constructor(private readonly commands: Commands) {}

  @Get()
  @Answers('List the custom manifests of a cluster.', Type.Array(V2_MANIFEST), { mayBeNotReady: true })
  @Accepts('userAuth')
  async listManifests(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() query: ListManifestsQuery,
    @Context() context: CommandContext,
  ): Promise<readonly V2Manifest[]> {
    const { manifests } = await this.commands.send(
      IgnitionService.method.listManifests,
      { clusterId, includeSystemGenerated: query.include_system_generated ?? false },
      context,
    );
    return manifests.map(presentManifest);
  }

  @Post()
  @HttpCode(201)
  @Answers('Create a custom manifest.', V2_MANIFEST, { validatesNames: true })
  @Accepts('userAuth')
  async createManifest(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body() { folder = 'manifests', file_name: fileName, content }: CreateManifestBody,
    @Context() context: CommandContext,
  ): Promise<V2Manifest> {
    const input = { clusterId, folder, fileName, content: checkBase64('content', content) };
    const { manifest } = await this.commands.execute(IgnitionService.method.storeManifest, input, context);
    return presentManifest(manifest ?? { folder, fileName, source: 'user' });
  }

  @Patch()
  @Answers('Move a custom manifest or replace its content.', V2_MANIFEST, { validatesNames: true })
  @Accepts('userAuth')
  async reviseManifest(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body() body: ReviseManifestBody,
    @Context() context: CommandContext,
  ): Promise<V2Manifest> {
    const { folder, file_name: fileName, updated_folder, updated_file_name, updated_content } = body;
    const input = {
      clusterId,
      folder,
      fileName,
      newFolder: updated_folder,
      newFileName: updated_file_name,
      newContent: updated_content === undefined ? undefined : checkBase64('updated_content', updated_content),
    };
    const { manifest } = await this.commands.execute(IgnitionService.method.reviseManifest, input, context);
    return presentManifest(manifest ?? { folder, fileName, source: 'user' });
  }

  /** A manifest that does not exist counts as removed. */
  @Delete()
  @AnswersNothing('Delete a custom manifest (idempotent).')
  @Accepts('userAuth')
  async removeManifest(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { folder = 'manifests', file_name: fileName }: ManifestQuery,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.execute(IgnitionService.method.removeManifest, { clusterId, folder, fileName }, context);
  }

  @Get('files')
  @AnswersFile('Download a custom manifest.', { mayBeNotReady: true })
  @Accepts('userAuth')
  @OpenedByUrl()
  async downloadManifest(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() { folder = 'manifests', file_name: fileName }: ManifestQuery,
    @Context() context: CommandContext,
  ): Promise<StreamableFile> {
    const place = { clusterId, folder, fileName };
    const { content } = await this.commands.send(IgnitionService.method.readManifest, place, context);
    return attachment(Buffer.from(content, 'base64'), fileName);
  }
}
