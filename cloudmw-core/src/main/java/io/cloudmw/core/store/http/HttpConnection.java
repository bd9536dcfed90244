package io.cloudmw.core.store.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection to a server of stores, with one GET at a time. Confined to its event loop where not said otherwise. */
final class HttpConnection extends ChannelInboundHandlerAdapter {
    private final HttpConnections connections;
    private final HttpOrigin origin;
    private final Channel channel;
    private @Nullable RangeGet current;
    private @Nullable ScheduledFuture<?> watch;
    private @Nullable Throwable failure;
    private boolean reused;
    private boolean keep;
    private boolean gone;

    HttpConnection(HttpConnections connections, HttpOrigin origin, Channel channel) {
        this.connections = connections;
        this.origin = origin;
        this.channel = channel;
    }

    HttpOrigin origin() {
        return origin;
    }

    /** Any thread. */
    boolean isOpen() {
        return channel.isActive();
    }

    // ---- any thread

    /** Sends the GET; the connection has no other. */
    void send(RangeGet get) {
        channel.eventLoop().execute(() -> begin(get));
    }

    /** Reads on if the GET wants bytes. */
    void resume(RangeGet get) {
        channel.eventLoop().execute(() -> {
            if (current == get && get.wantsBytes()) {
                get.resumed(connections.nowNanos());
                channel.read();
            }
        });
    }

    /** Drops the connection if the GET is under way on it. */
    void abort(RangeGet get) {
        channel.eventLoop().execute(() -> {
            if (current == get) {
                close();
            }
        });
    }

    void close() {
        var unused = channel.close();
    }

    // ---- on the event loop

    private void begin(RangeGet get) {
        current = get;
        keep = false;
        if (!channel.isActive()) {
            lost();
            return;
        }
        get.sentOver(this, connections.nowNanos());
        if (get.isCancelled()) {
            current = null;
            connections.free(this);
            return;
        }
        FullHttpRequest request =
                new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, get.target(), Unpooled.EMPTY_BUFFER);
        request.headers().set(HttpHeaderNames.HOST, origin.header()).set(HttpHeaderNames.RANGE, get.rangeHeader());
        var unused = channel.writeAndFlush(request);
        watch(get, connections.timeouts().stall().toNanos());
        channel.read();
    }

    /** Looks again when the server may be silent for too long. */
    private void watch(RangeGet get, long nanos) {
        watch = channel.eventLoop()
                .schedule(
                        () -> {
                            if (current != get) {
                                return;
                            }
                            long left = get.silentInNanos(connections.nowNanos());
                            if (left > 0) {
                                watch(get, left);
                            } else {
                                get.silent();
                                close();
                            }
                        },
                        nanos,
                        TimeUnit.NANOSECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        RangeGet get = current;
        if (get == null) {
            ReferenceCountUtil.release(message);
            close(); // the server sent what nobody asked for
            return;
        }
        if (message instanceof HttpResponse head) {
            keep = HttpUtil.isKeepAlive(head) && head.decoderResult().isSuccess();
            if (head.decoderResult().isSuccess()) {
                get.head(head, connections.nowNanos());
            } else {
                failure = head.decoderResult().cause();
                close();
            }
        }
        if (message instanceof HttpContent content) {
            get.content(content.content(), connections.nowNanos());
        }
        if (message instanceof LastHttpContent) {
            answered(get);
        } else if (get.isOver()) {
            close();
        }
    }

    private void answered(RangeGet get) {
        unwatch();
        current = null;
        reused = true;
        get.end();
        if (keep) {
            connections.free(this);
        } else {
            close();
        }
    }

    private void unwatch() {
        ScheduledFuture<?> waiting = watch;
        if (waiting != null) {
            waiting.cancel(false);
            watch = null;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        RangeGet get = current;
        // Without a GET, one read finds out when the server closes the connection.
        if (get == null || get.wantsBytes()) {
            context.read();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        lost();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failure = cause;
        close();
    }

    private void lost() {
        unwatch();
        RangeGet get = current;
        current = null;
        // A GET that meets a closed connection comes here beside the event of the closing.
        if (!gone) {
            gone = true;
            connections.gone(this);
        }
        if (get == null) {
            return;
        }
        if (get.mayRepeat(reused)) {
            connections.start(get);
        } else {
            get.broken(failure);
        }
    }
}
