package io.cloudmw.coordinator.catalog.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of group commits: while one work occupies the writer, others wait and then share one transaction. */
@Timeout(60)
final class GroupCommitWriterTest {
    private static final int WAL_HEADER = 32;
    private static final int FRAME_HEADER = 24;
    private static final GroupCommitWriter.Limits LIMITS =
            new GroupCommitWriter.Limits(8, 4, TimeUnit.MINUTES.toNanos(1));

    @TempDir
    private Path directory;

    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private Path file;
    private Connection connection;
    private GroupCommitWriter writer;

    @BeforeEach
    void open() throws Exception {
        file = directory.resolve("catalog.db");
        connection = SqliteDatabase.connect(file, false);
        Sql.update(connection, "CREATE TABLE done (what TEXT PRIMARY KEY)");
        writer = GroupCommitWriter.start(connection, LIMITS);
    }

    @AfterEach
    void close() throws Exception {
        goOn.countDown();
        writer.stop();
        connection.close();
        callers.shutdownNow();
    }

    @Test
    void waitingWorksAreSyncedTogether() throws Exception {
        hold();
        List<Future<String>> calls =
                List.of(call(insert("a")), call(insert("b")), call(insert("c")), call(insert("d")));
        long before = commits();

        goOn.countDown();
        for (Future<String> call : calls) {
            assertThat(call.get()).isEqualTo("done");
        }

        assertThat(commits() - before)
                .as("what held the writer, and all others")
                .isEqualTo(2);
        assertThat(done()).containsExactly("a", "b", "c", "d", "held");
    }

    @Test
    void groupHasALimit() throws Exception {
        hold();
        List<Future<String>> calls = new ArrayList<>();
        for (int i = 0; i < LIMITS.group() + 1; i++) {
            calls.add(call(insert("x" + i)));
        }
        long before = commits();

        goOn.countDown();
        for (Future<String> call : calls) {
            call.get();
        }

        assertThat(commits() - before).isEqualTo(3);
    }

    @Test
    void callersAreAnsweredAfterTheCommit() throws Exception {
        hold();
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch last = new CountDownLatch(1);
        Future<String> first = call(insert("a"));
        Future<String> second = call(connection -> {
            reached.countDown();
            await(last);
            return "last";
        });

        goOn.countDown();
        reached.await();
        assertThat(first.isDone()).isFalse();
        assertThat(done()).as("seen by others").containsExactly("held");
        last.countDown();

        assertThat(first.get()).isEqualTo("done");
        assertThat(second.get()).isEqualTo("last");
    }

    @Test
    void failedWorkIsRolledBackAlone() throws Exception {
        hold();
        Future<String> before = call(insert("before"));
        Future<String> refused = call(connection -> {
            Sql.update(connection, "INSERT INTO done VALUES ('half')");
            throw new CloudMwException(ErrorCode.CONFLICT, "halfway");
        });
        Future<String> broken = call(connection -> "rows " + Sql.update(connection, "INSERT INTO nowhere VALUES (1)"));
        Future<String> defect = call(connection -> {
            Sql.update(connection, "INSERT INTO done VALUES ('defect')");
            throw new IllegalStateException("a defect");
        });
        goOn.countDown();

        assertThat(before.get()).isEqualTo("done");
        assertThat(failure(refused)).hasMessage("halfway");
        assertThat(((CloudMwException) failure(broken)).code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(failure(defect)).isInstanceOf(IllegalStateException.class);
        assertThat(writer.write(insert("after"))).isEqualTo("done");
        assertThat(done()).containsExactly("after", "before", "held");
    }

    /** SQLite rolls back by itself when the disk is full. */
    @Test
    void otherWorksAreRetriedWhenTheTransactionFails() throws Exception {
        hold();
        AtomicInteger times = new AtomicInteger();
        Future<String> first = call(connection -> {
            times.incrementAndGet();
            return insert("first").run(connection);
        });
        Future<String> fatal = call(connection -> {
            Sql.update(connection, "INSERT INTO done VALUES ('fatal')");
            Sql.update(connection, "ROLLBACK");
            throw new CloudMwException(ErrorCode.STORE_FULL, "no room");
        });
        Future<String> third = call(insert("third"));
        goOn.countDown();

        assertThat(first.get()).isEqualTo("done");
        assertThat(third.get()).isEqualTo("done");
        assertThat(failure(fatal)).hasMessage("no room");
        assertThat(times).hasValue(2);
        assertThat(writer.write(insert("later"))).isEqualTo("done");
        assertThat(done()).containsExactly("first", "held", "later", "third");
    }

    @Test
    void waitingWorksHaveALimit() throws Exception {
        hold();
        List<Future<String>> calls = new ArrayList<>();
        for (int i = 0; i < LIMITS.waiting(); i++) {
            calls.add(call(insert("x" + i)));
        }

        CloudMwException refused = (CloudMwException) catchThrowable(() -> writer.write(insert("more")));
        assertThat(refused.code()).isEqualTo(ErrorCode.OVERLOADED);

        goOn.countDown();
        for (Future<String> call : calls) {
            call.get();
        }
        assertThat(done()).hasSize(LIMITS.waiting() + 1).doesNotContain("more");
    }

    @Test
    void workNotStartedInTimeIsRefusedAndNotDone() throws Exception {
        writer.stop();
        writer = GroupCommitWriter.start(
                connection, new GroupCommitWriter.Limits(8, 4, TimeUnit.MILLISECONDS.toNanos(10)));
        Future<?> holder = callers.submit(this::holdOnceItsTurnComes);
        held.await();

        CloudMwException late = (CloudMwException) catchThrowable(() -> writer.write(insert("late")));
        assertThat(late.code()).isEqualTo(ErrorCode.OVERLOADED);
        assertThat(writer.waiting()).isZero();
        goOn.countDown();

        assertThat(holder.get()).as("its turn had come, so it was waited for").isNull();
        assertThat(done()).containsExactly("held");
    }

    @Test
    void interruptWithdrawsWaitingWorkOnly() throws Exception {
        CompletableFuture<Thread> holder = new CompletableFuture<>();
        Future<Boolean> first = callers.submit(() -> {
            holder.complete(Thread.currentThread());
            writer.write(this::holding);
            return Thread.interrupted();
        });
        held.await();
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        Future<String> second = callers.submit(() -> {
            caller.complete(Thread.currentThread());
            return writer.write(insert("second"));
        });
        awaitWaiting(1);

        caller.get().interrupt();
        assertThat(((CloudMwException) failure(second)).code()).isEqualTo(ErrorCode.CANCELLED);
        holder.get().interrupt();
        goOn.countDown();

        assertThat(first.get()).as("still interrupted, and answered").isTrue();
        assertThat(done()).containsExactly("held");
    }

    @Test
    void waitingWorksAreDoneWhenTheWriterStops() throws Exception {
        hold();
        Future<String> waits = call(insert("waits"));
        Future<?> stopped = callers.submit(writer::stop);
        goOn.countDown();
        stopped.get();

        assertThat(waits.get()).isEqualTo("done");
        CloudMwException after = (CloudMwException) catchThrowable(() -> writer.write(insert("after")));
        assertThat(after.code()).isEqualTo(ErrorCode.CANCELLED);
    }

    // ---- helper methods

    private static SqliteDatabase.Work<String> insert(String what) {
        return connection -> {
            Sql.update(connection, "INSERT INTO done VALUES (?)", what);
            return "done";
        };
    }

    private String holding(Connection connection) throws SQLException {
        held.countDown();
        await(goOn);
        Sql.update(connection, "INSERT INTO done VALUES ('held')");
        return "held";
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Occupies the writer until {@code goOn}. */
    private void hold() throws Exception {
        var unused = callers.submit(() -> writer.write(this::holding));
        held.await();
    }

    /** Occupies the writer; on a busy machine the first attempts may time out. */
    private @Nullable Throwable holdOnceItsTurnComes() {
        Throwable refused;
        do {
            refused = catchThrowable(() -> writer.write(this::holding));
        } while (refused instanceof CloudMwException known && known.code() == ErrorCode.OVERLOADED);
        return refused;
    }

    /** Queues a work after those that wait already. */
    private Future<String> call(SqliteDatabase.Work<String> work) {
        int before = writer.waiting();
        Future<String> answer = callers.submit(() -> writer.write(work));
        awaitWaiting(before + 1);
        return answer;
    }

    private void awaitWaiting(int count) {
        while (writer.waiting() < count) {
            Thread.onSpinWait();
        }
    }

    private static Throwable failure(Future<?> call) {
        Throwable thrown = catchThrowable(call::get);
        assertThat(thrown).isInstanceOf(ExecutionException.class);
        return Objects.requireNonNull(thrown.getCause());
    }

    /** Returns the rows that another connection sees. */
    private List<String> done() throws Exception {
        try (Connection reader = SqliteDatabase.connect(file, true)) {
            return Sql.list(reader, row -> row.getString(1), "SELECT what FROM done ORDER BY what");
        }
    }

    /** Returns the transactions in the write-ahead log: frames that record the database's length after them. */
    private long commits() throws Exception {
        ByteBuffer wal = ByteBuffer.wrap(Files.readAllBytes(Path.of(file + "-wal")));
        int page = wal.getInt(8);
        long commits = 0;
        for (int at = WAL_HEADER; at + FRAME_HEADER + page <= wal.limit(); at += FRAME_HEADER + page) {
            commits += wal.getInt(at + 4) == 0 ? 0 : 1;
        }
        return commits;
    }
}
