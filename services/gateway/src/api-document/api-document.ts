import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CREDENTIAL_PLACES } from '../auth/credentials';
import { describeRoutes } from './describe-routes';
import { finishDocument } from './finish-document';

const ABOUT = `Installs OpenShift and OKD clusters on bare metal. Paths under /api/assisted-install implement the v2 API of
assisted-service; paths under /api/muster are specific to Muster. Answers may get additional fields at any time. Requests
with fields that this document does not describe are refused. A field that is null counts as absent.`;

/** The OpenAPI document of what the application serves. */
export function apiDocumentOf(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Muster')
    .setDescription(ABOUT.replace(/\n/g, ' '))
    .setVersion('2')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0');
  for (const [scheme, { place, name, description }] of CREDENTIAL_PLACES)
    builder.addApiKey({ type: 'apiKey', in: place, name, description }, scheme);
  describeRoutes(app);
  return finishDocument(
    SwaggerModule.createDocument(app, builder.build(), {
      operationIdFactory: toOperationId,
      autoTagControllers: false,
    }),
  );
}

/** The name of the handler; further paths of one handler get a number. */
function toOperationId(_controller: string, handler: string): string {
  const [, name = '', alias = ''] = /^(\w+?)(?:\[(\d+)\])?$/.exec(handler) ?? [];
  return name + (alias === '' || alias === '0' ? '' : `Alias${alias}`);
}
