package io.cloudmw.lab.fanout;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.file.RemoteFile;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.time.Ticker;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The clients of one process, each with its own connections. An order is a line of JSON, and so is an answer. Used by
 * one thread.
 *
 * <ul>
 *   <li><code>{"do":"read","path":P,"bytes":B}</code>: all clients read the whole file at once. The answers are
 *       <code>{"half":true}</code> when they have half of the bytes together, then the result.
 *   <li><code>{"do":"small","path":P,"bytes":B,"length":L,"count":N,"seed":S}</code>: the first client opens the file
 *       and reads L bytes N times, one read after the other.
 *   <li><code>{"do":"loop","path":P}</code>: all clients read the file repeatedly until <code>{"do":"stop"}</code>; the
 *       answer comes when all have received bytes.
 * </ul>
 */
public final class ReadingClients implements AutoCloseable {
    private final List<CloudMw> clients = new ArrayList<>();
    private final Ticker ticker = Ticker.system();
    private final Answers answers;
    private Looping looping = new Looping();

    /** The sink of the clients' answers. */
    @FunctionalInterface
    public interface Answers {
        void say(Map<String, ?> object);
    }

    /**
     * Creates the clients.
     *
     * @param connect creates the client of a number, from 0
     */
    public ReadingClients(int count, IntFunction<CloudMw> connect, Answers answers) {
        this.answers = answers;
        for (int i = 0; i < count; i++) {
            clients.add(connect.apply(i));
        }
    }

    /**
     * Returns the location of a client. Clients are assigned to switches in turn, and the switch at that location is
     * near.
     */
    public static String near(int number, int switches) {
        return "near-" + (1 + number % switches);
    }

    /** Executes an order and returns when it is done. */
    public void obey(JsonNode order) {
        FilePath path = FilePath.parse(order.path("path").asText("lab:/none"));
        switch (order.path("do").asText()) {
            case "read" -> answers.say(readAll(path, order.path("bytes").asLong()));
            case "small" -> answers.say(readSmall(path, order));
            case "loop" -> {
                looping = new Looping();
                looping.begin(path);
                answers.say(Map.of("looping", clients.size()));
            }
            case "stop" -> answers.say(looping.stop());
            default -> throw new IllegalArgumentException("order: " + order + " (expected: read, small, loop or stop)");
        }
    }

    private Map<String, ?> readAll(FilePath path, long bytes) {
        AtomicLong untilHalf = new AtomicLong(bytes * clients.size() / 2);
        List<LongAdder> written =
                clients.stream().map(client -> new LongAdder()).toList();
        List<Long> before = clients.stream().map(CloudMw::receivedBytes).toList();
        List<CompletableFuture<GetReceipt>> reads = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            reads.add(clients.get(i).files().read(path, counted(written.get(i), untilHalf), GetOptions.defaults()));
        }
        long repeated = 0;
        long rewritten = 0;
        List<String> failures = new ArrayList<>();
        for (int i = 0; i < reads.size(); i++) {
            try {
                reads.get(i).join();
                repeated += Math.max(0, clients.get(i).receivedBytes() - before.get(i) - bytes);
                rewritten += written.get(i).sum() - bytes;
            } catch (CompletionException e) {
                failures.add(String.valueOf(e.getCause()));
            }
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("failures", failures);
        answer.put("repeated_bytes", repeated);
        answer.put("rewritten_bytes", rewritten);
        return answer;
    }

    /** Returns a target that drops bytes, and reports once when all clients together have received half. */
    private PositionalTarget counted(LongAdder written, AtomicLong untilHalf) {
        return (offset, piece) -> {
            int length = piece.remaining();
            written.add(length);
            piece.position(piece.limit());
            long left = untilHalf.addAndGet(-length);
            if (left <= 0 && left > -length) {
                answers.say(Map.of("half", true));
            }
        };
    }

    private Map<String, ?> readSmall(FilePath path, JsonNode order) {
        int length = order.path("length").asInt();
        long places = order.path("bytes").asLong() / length;
        SplittableRandom random = new SplittableRandom(order.path("seed").asLong());
        List<Long> nanos = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        ByteBuffer piece = ByteBuffer.allocate(length);
        try (RemoteFile file = clients.get(0).files().open(path).join()) {
            for (int i = 0; i < order.path("count").asInt(); i++) {
                long start = ticker.nanos();
                try {
                    file.read(piece.clear(), random.nextLong(places) * length).join();
                    nanos.add(ticker.nanos() - start);
                } catch (CompletionException e) {
                    failures.add(String.valueOf(e.getCause()));
                }
            }
        } catch (CompletionException e) {
            failures.add(String.valueOf(e.getCause()));
        }
        return Map.of("nanos", nanos, "failures", failures);
    }

    /** The clients that read repeatedly until they are told to stop. */
    private final class Looping {
        private final List<Loop> loops = new ArrayList<>();
        private final LongAdder read = new LongAdder();

        /** Waits until each client has received bytes or failed. */
        void begin(FilePath path) {
            for (CloudMw client : clients) {
                Loop loop = new Loop(client, path, read);
                loops.add(loop);
                loop.next();
            }
            loops.forEach(Loop::awaitBegun);
        }

        Map<String, ?> stop() {
            loops.forEach(Loop::stop);
            List<String> failures =
                    loops.stream().flatMap(loop -> loop.failure().stream()).toList();
            return Map.of("read_bytes", read.sum(), "failures", failures);
        }
    }

    /** A reading client. */
    private static final class Loop {
        private final CloudMw client;
        private final FilePath path;
        private final LongAdder read;
        private final CompletableFuture<Void> begun = new CompletableFuture<>();

        @GuardedBy("this")
        private Optional<CompletableFuture<GetReceipt>> running = Optional.empty();

        @GuardedBy("this")
        private boolean stopped;

        @GuardedBy("this")
        private Optional<String> failure = Optional.empty();

        Loop(CloudMw client, FilePath path, LongAdder read) {
            this.client = client;
            this.path = path;
            this.read = read;
        }

        synchronized void next() {
            if (!stopped) {
                CompletableFuture<GetReceipt> reading = client.files().read(path, this::take, GetOptions.defaults());
                running = Optional.of(reading);
                var unused = reading.whenComplete((receipt, cause) -> ended(cause));
            }
        }

        private synchronized void ended(@Nullable Throwable cause) {
            if (cause == null) {
                next();
            } else if (!stopped) {
                failure = Optional.of(cause.toString());
                begun.complete(null);
            }
        }

        void awaitBegun() {
            begun.join();
        }

        private void take(long offset, ByteBuffer piece) {
            read.add(piece.remaining());
            piece.position(piece.limit());
            begun.complete(null);
        }

        void stop() {
            Optional<CompletableFuture<GetReceipt>> last;
            synchronized (this) {
                stopped = true;
                last = running;
            }
            last.ifPresent(reading -> reading.cancel(true));
        }

        synchronized Optional<String> failure() {
            return failure;
        }
    }

    @Override
    public void close() {
        clients.forEach(CloudMw::close);
    }
}
