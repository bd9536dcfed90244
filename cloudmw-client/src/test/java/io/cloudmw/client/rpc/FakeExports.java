package io.cloudmw.client.rpc;

import com.google.protobuf.ByteString;
import io.cloudmw.core.backup.ExportCursor;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.wire.BackupWire;
import io.cloudmw.proto.v1.BackupGrpc;
import io.cloudmw.proto.v1.ExportRequest;
import io.cloudmw.proto.v1.ExportResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A service that exports the pieces that a test sets. Safe for any thread. */
public final class FakeExports extends BackupGrpc.BackupImplBase {
    private final List<Long> asked = new CopyOnWriteArrayList<>();
    private final UnaryCalls calls = new UnaryCalls(Runnable::run);
    private volatile List<byte[]> pieces = List.of();
    private volatile boolean whole = true;
    private volatile long position;
    private volatile int brokenPiece = -1;
    private volatile ErrorCode failure = ErrorCode.INTERNAL;

    /** Sets the pieces of later exports. */
    public void give(boolean everything, long at, List<byte[]> records) {
        pieces = List.copyOf(records);
        whole = everything;
        position = at;
    }

    /** Fails instead of this piece; -1: never. */
    public void failAt(int piece, ErrorCode code) {
        failure = code;
        brokenPiece = piece;
    }

    /** The pieces that were requested. */
    public List<Long> asked() {
        return asked;
    }

    @Override
    public void export(ExportRequest request, StreamObserver<ExportResponse> observer) {
        calls.answer(observer, () -> {
            // A piece's cursor has its number as position.
            long piece = BackupWire.cursor(request.getCursor().toByteArray())
                    .map(ExportCursor::position)
                    .orElse(0L);
            asked.add(piece);
            if (piece == brokenPiece) {
                throw new CloudMwException(failure, "on purpose");
            }
            boolean last = piece + 1 >= pieces.size();
            return ExportResponse.newBuilder()
                    .setRecords(pieces.isEmpty() ? ByteString.EMPTY : ByteString.copyFrom(pieces.get((int) piece)))
                    .setFiles(1)
                    .setCursor(last ? ByteString.EMPTY : cursor(piece + 1))
                    .setPosition(position)
                    .setWhole(whole && piece == 0)
                    .build();
        });
    }

    private static ByteString cursor(long piece) {
        return ByteString.copyFrom(BackupWire.cursor(new ExportCursor(piece, List.of(), 0)));
    }
}
