package io.cloudmw.helper.rpc;

import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.rpc.CallerIdentity;
import io.cloudmw.core.rpc.UnaryCalls;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.helper.serve.WriteHandler;
import io.cloudmw.proto.v1.GetWriteRequest;
import io.cloudmw.proto.v1.GetWriteResponse;
import io.cloudmw.proto.v1.WritingGrpc;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** The gRPC service by which writers learn the troubles of chunks that they have sent. The service answers at once. */
public final class WriteService extends WritingGrpc.WritingImplBase {
    private final TransferTokens tokens;
    private final WriteHandler writes;
    private final UnaryCalls calls = new UnaryCalls(Runnable::run);

    public WriteService(TransferTokens tokens, WriteHandler writes) {
        this.tokens = tokens;
        this.writes = writes;
    }

    @Override
    public void getWrite(GetWriteRequest request, StreamObserver<GetWriteResponse> observer) {
        calls.answer(observer, () -> WriteObstacle.toWire(troubles(request)));
    }

    private List<WriteObstacle> troubles(GetWriteRequest request) throws CloudMwException {
        ChunkId chunk = chunk(request);
        tokens.verify(request.getToken().toByteArray(), CallerIdentity.bearer()).require(TransferRight.WRITE, chunk);
        return writes.troubles(chunk);
    }

    private static ChunkId chunk(GetWriteRequest request) throws CloudMwException {
        try {
            return ChunkId.parse(request.getChunkId());
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, String.valueOf(e.getMessage()), e);
        }
    }
}
