package io.cloudmw.client.read.relay;

import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.sink.LeafSink;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.RacerId;
import io.cloudmw.core.thread.SerialExecutor;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The open relays of one get: takes offers, grants credit to the accepted ones, and reports their leaves. Confined
 * to the transfer's serial executor, except where a method says otherwise.
 */
public final class Relays implements RelayListener {
    /** A listener, called on the transfer's executor. */
    public interface Listener {
        /** A racer offers a block. */
        void offered(RelayReceiver relay);

        /** The next leaf of a relay was handed on. */
        void leafDelivered(RelayReceiver relay);

        /** A leaf of a relay did not match its digest; the relay is over. */
        void leafCorrupt(RelayReceiver relay);

        /** A relay broke; it is over. */
        void relayFailed(RelayReceiver relay, ErrorCode code);

        /** A relay has drained the credit it had. */
        void starved(RelayReceiver relay);

        /** Credit was withheld from a relay or granted to it, which makes no room for new blocks. */
        void creditChanged(RelayCredit.Change change);

        /** A leaf of so many bytes is at the destination. */
        void handedOn(RelayReceiver relay, int bytes);

        /** A leaf was verified. Any thread. */
        default void verified(Chunk chunk, long offset, ByteBuffer leaf) {}

        /** A relay that brought something has ended. */
        void won(RelayReceiver relay);

        /** A leaf arrived as it was sent, and does not match its digest. */
        void corrupt(RelayReceiver relay);

        /** A leaf does not match its checksum: the replica, the helper or the network may be at fault. */
        void damaged(RelayReceiver relay);

        /** A relay ended for this reason, which may end up in the read's error message. */
        void failedBecause(CloudMwException why);

        void destinationFailed(CloudMwException cause);
    }

    private final ClientThreads threads;
    private final SerialExecutor serial;
    private final LeafSink sink;
    private final RelayCredit credit;
    private final Listener listener;
    private final Map<Long, RelayReceiver> relays = new HashMap<>();
    private final AtomicLong numbers = new AtomicLong();
    private boolean over;

    /** @param windows relays that have credit at once when memory is short */
    public Relays(
            ClientThreads threads,
            SerialExecutor serial,
            LeafSink sink,
            TransferCredit share,
            int windows,
            Listener listener) {
        this.threads = threads;
        this.serial = serial;
        this.sink = sink;
        this.credit = new RelayCredit(share, windows);
        this.listener = listener;
    }

    /** Offers a block; data flows through the relay returned. Any thread. */
    public RelayReceiver offer(RacerId racer, BlockId block, StoreId store, RelaySource source) {
        Executor handingOn = sink.mayBlock() ? threads.sinks() : threads.workers();
        RelayReceiver relay = new RelayReceiver(
                new RelayOffer(numbers.incrementAndGet(), block, racer, store), source, this, sink, handingOn);
        serial.execute(() -> {
            if (over) {
                relay.refuse(ErrorCode.CANCELLED, "transfer over");
                return;
            }
            relays.put(relay.number(), relay);
            listener.offered(relay);
        });
        return relay;
    }

    public void prepare(long number, Block block, ByteRange wanted, Chunk chunk) {
        RelayReceiver relay = relays.get(number);
        if (relay != null) {
            relay.prepare(block, wanted, chunk);
            credit.prepared(relay);
            grant();
        }
    }

    public void accept(long number, Block block, ByteRange wanted, Chunk chunk) {
        RelayReceiver relay = relays.get(number);
        if (relay != null) {
            relay.accept(block, wanted, chunk);
            credit.opened(relay);
            grant();
            if (relay.grantedBytes() > 0) {
                starved(relay);
            }
        }
    }

    /** Grants credit again after memory was freed elsewhere. */
    public void memoryFreed() {
        if (!over) {
            grant();
        }
    }

    private void grant() {
        for (RelayCredit.Change change : credit.grant()) {
            listener.creditChanged(change);
        }
    }

    public void shorten(BlockId block, long length) {
        for (RelayReceiver relay : relays.values()) {
            if (relay.block().equals(block) && relay.isExpected()) {
                relay.shorten(length);
            }
        }
    }

    public void refuse(long number) {
        drop(number, ErrorCode.CANCELLED, "not wanted");
    }

    public void withdraw(BlockId block) {
        for (RelayReceiver relay : List.copyOf(relays.values())) {
            if (relay.block().equals(block)) {
                drop(relay.number(), ErrorCode.CANCELLED, "block withdrawn");
            }
        }
    }

    private void drop(long number, ErrorCode code, String message) {
        RelayReceiver relay = relays.remove(number);
        if (relay != null) {
            if (relay.isAccepted() && relay.returned() > 0) {
                listener.won(relay);
            }
            relay.refuse(code, message);
        }
    }

    /** Ends the offers: everything is delivered. */
    public void end() {
        over = true;
    }

    /** Refuses all open relays; the memory is given back when they have drained. */
    public void close(ErrorCode why) {
        over = true;
        for (RelayReceiver relay : List.copyOf(relays.values())) {
            drop(relay.number(), why, "transfer over");
        }
        credit.close();
    }

    @Override
    public void leafDelivered(RelayReceiver relay, int bytes) {
        serial.execute(() -> {
            boolean wanted = relay.isNextWanted();
            credit.returned(relay, bytes);
            if (!relays.containsKey(relay.number()) || over) {
                return;
            }
            if (wanted) {
                listener.handedOn(relay, bytes);
            }
            if (relay.isDelivered()) {
                ended(relay);
            }
            if (wanted) {
                listener.leafDelivered(relay);
            }
            grant();
        });
    }

    private void ended(RelayReceiver relay) {
        relays.remove(relay.number());
        listener.won(relay);
        if (relay.isShortened()) {
            relay.refuse(ErrorCode.CANCELLED, "the rest is another's");
        } else {
            credit.closed(relay);
            relay.finish();
        }
    }

    @Override
    public void verified(Chunk chunk, long offset, ByteBuffer leaf) {
        listener.verified(chunk, offset, leaf);
    }

    @Override
    public void leafCorrupt(RelayReceiver relay, CloudMwException what) {
        serial.execute(() -> {
            listener.failedBecause(what);
            if (relays.containsKey(relay.number())) {
                listener.corrupt(relay);
                // First, or the helper would learn only that the block is no longer wanted.
                drop(relay.number(), ErrorCode.REPLICA_CORRUPT, String.valueOf(what.getMessage()));
                listener.leafCorrupt(relay);
            }
        });
    }

    @Override
    public void relayFailed(RelayReceiver relay, CloudMwException cause) {
        serial.execute(() -> {
            if (relays.containsKey(relay.number())) {
                listener.failedBecause(cause);
                if (cause.code() == ErrorCode.REPLICA_CORRUPT) {
                    listener.damaged(relay);
                }
                drop(relay.number(), cause.code(), String.valueOf(cause.getMessage()));
                listener.relayFailed(relay, cause.code());
            }
        });
    }

    @Override
    public void starved(RelayReceiver relay) {
        serial.execute(() -> {
            boolean takesPart = relays.containsKey(relay.number()) && relay.isAccepted();
            if (takesPart && relay.isStarved() && !relay.isWithheld()) {
                relay.withheld(true);
                listener.starved(relay);
            }
        });
    }

    @Override
    public void drained(RelayReceiver relay) {
        serial.execute(() -> {
            credit.drained(relay);
            if (!over) {
                grant();
            }
        });
    }

    @Override
    public void destinationFailed(CloudMwException cause) {
        serial.execute(() -> listener.destinationFailed(cause));
    }
}
