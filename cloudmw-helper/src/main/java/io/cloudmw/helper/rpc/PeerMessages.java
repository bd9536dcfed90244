package io.cloudmw.helper.rpc;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.helper.compete.PeerMessage;
import io.cloudmw.proto.v1.CompeteMessage;

/** Between {@link PeerMessage} and the wire. */
final class PeerMessages {
    private PeerMessages() {}

    static CompeteMessage toWire(PeerMessage message) {
        CompeteMessage.Builder wire = CompeteMessage.newBuilder();
        int block = message.block().value();
        switch (message.kind()) {
            case CLAIM -> wire.setClaimedBlock(block);
            case YIELD -> wire.setYieldedBlock(block);
            case FORFEIT -> wire.setForfeitedBlock(block);
        }
        return wire.build();
    }

    static PeerMessage fromWire(CompeteMessage wire) throws CloudMwException {
        return switch (wire.getMessageCase()) {
            case CLAIMED_BLOCK -> message(PeerMessage.Kind.CLAIM, wire.getClaimedBlock());
            case YIELDED_BLOCK -> message(PeerMessage.Kind.YIELD, wire.getYieldedBlock());
            case FORFEITED_BLOCK -> message(PeerMessage.Kind.FORFEIT, wire.getForfeitedBlock());
            case JOIN, MESSAGE_NOT_SET ->
                throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "peer message: " + wire.getMessageCase());
        };
    }

    private static PeerMessage message(PeerMessage.Kind kind, int block) throws CloudMwException {
        if (block < 0) {
            throw new CloudMwException(ErrorCode.PROTOCOL_VIOLATION, "block: " + block + " (expected: >= 0)");
        }
        return new PeerMessage(kind, new BlockId(block));
    }
}
