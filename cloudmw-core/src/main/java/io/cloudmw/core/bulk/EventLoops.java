package io.cloudmw.core.bulk;

import io.cloudmw.core.time.PollingPolicy;
import io.cloudmw.core.time.Ticker;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The event loops of a transport, with the wait strategy of each. Safe for any thread. */
final class EventLoops implements AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    private final boolean epoll;
    private final Duration busyPoll;
    private final Map<Object, BusyPoll> polls = new ConcurrentHashMap<>();
    private final EventLoopGroup group;
    private final EventLoopGroup interactive;

    EventLoops(String name, int threads, boolean epoll, Duration busyPoll) {
        this.epoll = epoll;
        this.busyPoll = busyPoll;
        this.group = group(name, threads);
        this.interactive = group(name + "-interactive", 1);
    }

    private EventLoopGroup group(String name, int threads) {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), this::handler);
    }

    private IoHandler handler(ThreadAwareExecutor loop) {
        Ticker ticker = Ticker.system();
        BusyPoll poll = new BusyPoll(PollingPolicy.ofMachine(busyPoll, ticker), ticker);
        polls.put(loop, poll);
        IoHandlerFactory factory = epoll
                ? EpollIoHandler.newFactory(0, () -> poll)
                : NioIoHandler.newFactory(SelectorProvider.provider(), () -> poll);
        return factory.newHandler(loop);
    }

    EventLoopGroup group() {
        return group;
    }

    /** The loop for connections with small requests that a caller waits for: its turns are short. */
    EventLoopGroup interactive() {
        return interactive;
    }

    /** Announces that a connection on this loop expects a request within moments. */
    void expect(EventLoop loop) {
        BusyPoll poll = polls.get(loop);
        if (poll != null) {
            poll.expect();
        }
    }

    /** The time that all loops have spent busy-polling so far; they may have yielded their processors meanwhile. */
    long spentNanos() {
        return polls.values().stream().mapToLong(BusyPoll::spentNanos).sum();
    }

    @Override
    public void close() {
        // First those that connections move away from.
        end(group);
        end(interactive);
    }

    private static void end(EventLoopGroup group) {
        group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
