package io.cloudmw.lab.s3;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection and its connection to the endpoint, both on one event loop. Reads the endpoint's response one
 * piece at a time and holds each piece until it is due. The client's connection releases the pieces; this releases them
 * when that connection is gone.
 */
final class ProxiedConnection extends ChannelDuplexHandler {
    private final ShapingProxy proxy;
    private final ShapedStore store;
    /** Requests without a complete response, oldest first. */
    private final Queue<ShapedResponse> responses = new ArrayDeque<>();
    /** Pieces read from the endpoint but not yet sent to the client. */
    private final Queue<Object> waiting = new ArrayDeque<>();

    private @Nullable Channel client;
    private @Nullable Channel endpoint;
    /** Whether the first piece of {@link #waiting} is due. */
    private boolean due;

    private boolean timed;
    private boolean informational;
    private boolean endpointClosed;

    ProxiedConnection(ShapingProxy proxy, ShapedStore store) {
        this.proxy = proxy;
        this.store = store;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel channel = context.channel();
        client = channel;
        var unused = new Bootstrap()
                .group(channel.eventLoop())
                .channel(ShapingProxy.socketType())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.RECVBUF_ALLOCATOR, ShapingProxy.pieces())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel created) {
                        created.pipeline()
                                .addLast(
                                        new HttpClientCodec(ShapingProxy.decoder(), true, false),
                                        new EndpointHandler());
                    }
                })
                .connect(proxy.upstream())
                .addListener((ChannelFutureListener) connected -> {
                    if (connected.isSuccess() && channel.isActive()) {
                        endpoint = connected.channel();
                        channel.config().setAutoRead(true);
                        connected.channel().read();
                    } else {
                        end(connected.channel());
                        end(channel);
                    }
                });
    }

    // ---- from the client

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel to = endpoint;
        if (to == null) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof HttpRequest request) {
            responses.add(new ShapedResponse(store, isRead(request)));
        }
        pass(to, message);
        if (!to.isWritable()) {
            context.channel().config().setAutoRead(false);
            to.flush();
        }
    }

    /**
     * Returns whether to slow and count a request: reads of objects only, since the lab itself makes all other
     * requests.
     */
    private static boolean isRead(HttpRequest request) {
        String path = request.uri().split("\\?", 2)[0];
        return request.method().equals(HttpMethod.GET) && path.indexOf('/', 1) > 0 && !path.endsWith("/");
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        Channel to = endpoint;
        if (to != null) {
            to.flush();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        sendWhatIsDue();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        while (!waiting.isEmpty()) {
            ReferenceCountUtil.release(waiting.remove());
        }
        Channel to = endpoint;
        if (to != null) {
            end(to);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        end(context.channel());
    }

    // ---- from the endpoint

    private final class EndpointHandler extends ChannelDuplexHandler {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            Channel to = client;
            if (to == null || !to.isActive()) {
                ReferenceCountUtil.release(message);
                return;
            }
            waiting.add(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            sendWhatIsDue();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            Channel from = client;
            if (from != null && context.channel().isWritable()) {
                from.config().setAutoRead(true);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            endpointClosed = true;
            sendWhatIsDue();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            end(context.channel());
        }
    }

    private void sendWhatIsDue() {
        Channel to = client;
        Channel from = endpoint;
        if (to == null || from == null || timed) {
            return;
        }
        while (!waiting.isEmpty() && to.isWritable()) {
            Object next = waiting.element();
            long wait = due ? 0 : waitNanos(next);
            due = true;
            if (wait > 0) {
                to.flush();
                timed = true;
                var unused = to.eventLoop().schedule(this::timeCame, wait, TimeUnit.NANOSECONDS);
                return;
            }
            send(to, waiting.remove());
        }
        to.flush();
        if (endpointClosed && waiting.isEmpty()) {
            end(to);
        } else if (waiting.isEmpty() && to.isWritable()) {
            from.read();
        }
    }

    private void timeCame() {
        timed = false;
        sendWhatIsDue();
    }

    private long waitNanos(Object message) {
        ShapedResponse response = responses.peek();
        if (response == null) {
            return 0;
        }
        if (message instanceof HttpResponse head) {
            informational = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
            return informational ? 0 : response.headWaitNanos(HttpUtil.getContentLength(head, 0L));
        }
        int bytes = bytes(message);
        return bytes == 0 ? 0 : response.bodyWaitNanos(bytes);
    }

    private void send(Channel to, Object message) {
        due = false;
        ShapedResponse response = responses.peek();
        if (response != null) {
            response.sent(bytes(message));
            if (message instanceof LastHttpContent && !informational) {
                responses.remove();
            }
        }
        pass(to, message);
    }

    /** Writes a message. The channel's handlers see a failure, so the promise is void. */
    private static void pass(Channel to, Object message) {
        ChannelFuture unused = to.write(message, to.voidPromise());
    }

    private static void end(Channel channel) {
        ChannelFuture unused = channel.close();
    }

    private static int bytes(Object message) {
        return message instanceof HttpContent content ? content.content().readableBytes() : 0;
    }
}
