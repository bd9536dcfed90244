package io.cloudmw.it.hostile;

import com.google.protobuf.ByteString;
import io.cloudmw.core.bulk.frame.FrameHeader;
import io.cloudmw.core.bulk.frame.FrameType;
import io.cloudmw.core.bulk.message.BulkWire;
import io.cloudmw.core.bulk.message.BulkWire.Greeting;
import io.cloudmw.core.wire.ProtocolVersion;
import io.cloudmw.it.hostile.Conversation.Ending;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * A generator of conversations of the bulk plane: valid ones, and such that are mutated, reordered, cut, repeated, or
 * lack the handshake. The same seed gives the same conversations. Used by one thread.
 */
final class FrameGenerator {
    private static final int MOST_STREAMS = 40;
    private static final int MOST_DATA_BYTES = 600;
    private static final int INTERESTING = 6;
    private static final List<Damage> DAMAGES = List.of(Damage.values());
    private static final List<Ending> ENDINGS = List.of(Ending.values());

    private final SplittableRandom random;
    private final Requests requests;
    private final String name;

    /** Damage done to a conversation. */
    private enum Damage {
        NONE,
        /** Some bytes are others. */
        BYTES,
        /** A field of a frame's header is another. */
        HEADER,
        /** A payload is another, with the right checksum. */
        PAYLOAD,
        /** Frames are in another order. */
        ORDER,
        /** The end is missing. */
        CUT,
        /** Frames come twice. */
        REPEATED,
        /** The handshake is missing. */
        NO_GREETING,
        /** Bytes that are no frame come first. */
        NOISE
    }

    /** @param name that the attacker's certificate has; conversations mostly begin with it */
    FrameGenerator(long seed, Requests requests, String name) {
        this.name = name;
        this.random = new SplittableRandom(seed);
        this.requests = requests;
    }

    Conversation next() {
        Damage damage = DAMAGES.get(random.nextInt(DAMAGES.size()));
        List<WireFrame> first = new ArrayList<>();
        if (damage != Damage.NO_GREETING) {
            first.add(greeting());
        }
        List<WireFrame> second = new ArrayList<>();
        int streams = 1 + random.nextInt(MOST_STREAMS);
        for (int i = 0; i < streams; i++) {
            script(2 * i + 1, first, second);
        }
        boolean early = random.nextInt(4) > 0;
        if (early) {
            first.addAll(second);
            second.clear();
        }
        int frames = first.size() + second.size();
        ByteString opening = damaged(damage, first);
        return new Conversation(
                opening,
                random.nextBoolean() ? damaged(damage, second) : encoded(second),
                frames,
                ENDINGS.get(random.nextInt(ENDINGS.size())),
                random.nextInt(16) > 0);
    }

    private WireFrame greeting() {
        boolean interactive = random.nextInt(8) == 0;
        String claimed = random.nextInt(16) == 0 ? "hostile" : name;
        return new WireFrame(
                FrameType.HELLO,
                0,
                ByteString.copyFrom(BulkWire.hello(
                        new Greeting(ProtocolVersion.CURRENT, claimed, "", random.nextInt(64), interactive))));
    }

    /** Adds what one stream sends: before it has credit, and after. */
    private void script(int stream, List<WireFrame> before, List<WireFrame> after) {
        before.add(new WireFrame(FrameType.OPEN, stream, requests.any(random)));
        for (int i = random.nextInt(4); i > 0; i--) {
            before.add(WireFrame.credit(stream, 1 + random.nextLong(1L << random.nextInt(1, 40))));
        }
        if (random.nextInt(3) == 0) {
            before.add(WireFrame.of(FrameType.PING, 0));
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            byte[] data = new byte[1 + random.nextInt(MOST_DATA_BYTES)];
            random.nextBytes(data);
            after.add(new WireFrame(FrameType.DATA, stream, ByteString.copyFrom(data)));
        }
        switch (random.nextInt(4)) {
            case 0 -> after.add(new WireFrame(FrameType.END, stream, requests.trailer(random)));
            case 1 -> after.add(WireFrame.of(FrameType.RESET, stream));
            case 2 -> before.add(WireFrame.of(FrameType.END, stream));
            default -> before.add(WireFrame.of(FrameType.PONG, 0));
        }
    }

    private ByteString damaged(Damage damage, List<WireFrame> frames) {
        if (frames.isEmpty()) {
            return ByteString.EMPTY;
        }
        return switch (damage) {
            case NONE, NO_GREETING -> encoded(frames);
            case BYTES -> withOtherBytes(encoded(frames));
            case HEADER -> withOtherHeader(frames);
            case PAYLOAD -> withOtherPayload(frames);
            case ORDER -> encoded(shuffled(frames));
            case CUT -> {
                ByteString all = encoded(frames);
                yield all.substring(0, random.nextInt(all.size()));
            }
            case REPEATED -> {
                List<WireFrame> twice = new ArrayList<>(frames);
                twice.addAll(frames.subList(random.nextInt(frames.size()), frames.size()));
                yield encoded(twice);
            }
            case NOISE -> noise().concat(encoded(frames));
        };
    }

    private ByteString noise() {
        byte[] bytes = new byte[1 + random.nextInt(64)];
        random.nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    private ByteString withOtherBytes(ByteString all) {
        byte[] bytes = all.toByteArray();
        for (int i = random.nextInt(4); i >= 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return ByteString.copyFrom(bytes);
    }

    /** A field after the magic has another value: the type, the flags, the stream, the length or the checksum. */
    private ByteString withOtherHeader(List<WireFrame> frames) {
        int changed = random.nextInt(frames.size());
        ByteBuf target = Unpooled.buffer();
        for (int i = 0; i < frames.size(); i++) {
            int start = target.writerIndex();
            frames.get(i).write(target);
            if (i == changed) {
                switch (random.nextInt(5)) {
                    case 0 -> target.setByte(start + 2, random.nextInt());
                    case 1 -> target.setByte(start + 3, random.nextInt());
                    case 2 -> target.setInt(start + 4, interesting());
                    case 3 -> target.setInt(start + 8, interesting());
                    default -> target.setInt(start + FrameHeader.BYTES - Integer.BYTES, random.nextInt());
                }
            }
        }
        return taken(target);
    }

    /** A number near a border. */
    private int interesting() {
        return switch (random.nextInt(INTERESTING)) {
            case 0 -> random.nextInt();
            case 1 -> Integer.MAX_VALUE - random.nextInt(3);
            case 2 -> Integer.MIN_VALUE + random.nextInt(3);
            case 3 -> (1 << random.nextInt(31)) + random.nextInt(-1, 2);
            case 4 -> -random.nextInt(3);
            default -> random.nextInt(2 * MOST_STREAMS);
        };
    }

    private ByteString withOtherPayload(List<WireFrame> frames) {
        List<WireFrame> others = new ArrayList<>(frames);
        for (int i = random.nextInt(4); i >= 0; i--) {
            int changed = random.nextInt(frames.size());
            WireFrame frame = frames.get(changed);
            if (!frame.payload().isEmpty() && frame.type() != FrameType.CREDIT) {
                others.set(changed, frame.with(withOtherBytes(frame.payload())));
            } else if (frame.type() == FrameType.CREDIT) {
                others.set(changed, WireFrame.credit(frame.stream(), random.nextLong()));
            } else {
                others.set(changed, frame.onStream(interesting() & Integer.MAX_VALUE));
            }
        }
        return encoded(others);
    }

    private List<WireFrame> shuffled(List<WireFrame> frames) {
        List<WireFrame> others = new ArrayList<>(frames);
        // Mostly after the handshake.
        int from = random.nextInt(4) == 0 ? 0 : Math.min(1, others.size() - 1);
        Collections.shuffle(others.subList(from, others.size()), new Random(random.nextLong()));
        return others;
    }

    private static ByteString encoded(List<WireFrame> frames) {
        ByteBuf target = Unpooled.buffer();
        frames.forEach(frame -> frame.write(target));
        return taken(target);
    }

    private static ByteString taken(ByteBuf target) {
        ByteString bytes = ByteString.copyFrom(ByteBufUtil.getBytes(target));
        target.release();
        return bytes;
    }
}
