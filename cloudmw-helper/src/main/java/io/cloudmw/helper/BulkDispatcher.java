package io.cloudmw.helper;

import io.cloudmw.core.audit.AuditedPeer;
import io.cloudmw.core.audit.RefusalTrail;
import io.cloudmw.core.bulk.BulkConnection;
import io.cloudmw.core.bulk.BulkHandler;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.helper.relay.DestinationSessions;
import io.cloudmw.helper.serve.ReadHandler;
import io.cloudmw.helper.serve.WriteHandler;
import io.cloudmw.helper.switching.SharedReadHandler;
import java.util.UUID;

/** The dispatcher of the bulk plane: it hands each stream that another process opens to the room that serves it. */
final class BulkDispatcher implements BulkHandler {
    /** The longest leaf. A connection for small requests shares its event loop, and takes no longer ones. */
    private static final int SMALL_BYTES = 256 << 10;

    private final DestinationSessions sessions;
    private final ReadHandler reads;
    private final WriteHandler writes;
    private final SharedReadHandler shared;
    private final RefusalTrail refusals;

    /** @param refusals has what is refused */
    BulkDispatcher(
            DestinationSessions sessions,
            ReadHandler reads,
            WriteHandler writes,
            SharedReadHandler shared,
            RefusalTrail refusals) {
        this.refusals = refusals;
        this.shared = shared;
        this.sessions = sessions;
        this.reads = reads;
        this.writes = writes;
    }

    @Override
    public void connected(BulkConnection connection) {
        sessions.connected(connection);
    }

    @Override
    public void refused(AuditedPeer peer, CloudMwException why) {
        refusals.handshakeFailed(peer, why);
    }

    @Override
    public BulkStreamListener opened(BulkStream stream, byte[] request) throws CloudMwException {
        BulkRequest decoded = BulkRequest.decode(request);
        try {
            return serve(stream, decoded);
        } catch (CloudMwException e) {
            if (RefusalTrail.isRefusal(e)) {
                refusals.refused(
                        "Open" + decoded.getClass().getSimpleName(),
                        stream.connection().auditedPeer(),
                        UUID.randomUUID().toString(),
                        chunk(decoded),
                        e);
            }
            throw e;
        }
    }

    /** The chunk of a request as the audit trail names it. */
    private static String chunk(BulkRequest request) {
        if (request instanceof BulkRequest.Read read) {
            return "chunk=" + read.chunk();
        }
        if (request instanceof BulkRequest.Write write) {
            return "chunk=" + write.chunk();
        }
        return request instanceof BulkRequest.Shared shared
                ? "chunk=" + shared.block().chunk()
                : "";
    }

    private BulkStreamListener serve(BulkStream stream, BulkRequest decoded) throws CloudMwException {
        if (stream.connection().isInteractive() && !isSmall(decoded)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "a connection for small requests serves single leaves only");
        }
        if (decoded instanceof BulkRequest.Read read) {
            return reads.open(stream, read);
        }
        if (decoded instanceof BulkRequest.Shared block) {
            return shared.open(stream, block);
        }
        if (decoded instanceof BulkRequest.Write write) {
            return writes.open(stream, write);
        }
        throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "a helper takes no relays");
    }

    private static boolean isSmall(BulkRequest request) {
        return request instanceof BulkRequest.Shared shared
                && shared.reader()
                && !shared.kept()
                && shared.block().block().range().length() <= SMALL_BYTES;
    }
}
