package io.cloudmw.lab.torture.network;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A forwarded connection with two sides: the caller and the target. Both live on one event loop. */
final class ForwardedConnection {
    private final Network network;
    private final SocketChannel caller;
    private final Pair pair;
    private final InetSocketAddress target;
    private @Nullable Channel callee;
    private boolean connecting;
    private boolean stalled;

    ForwardedConnection(Network network, SocketChannel caller, Pair pair, InetSocketAddress target) {
        this.network = network;
        this.caller = caller;
        this.pair = pair;
        this.target = target;
    }

    Pair pair() {
        return pair;
    }

    EventLoop eventLoop() {
        return caller.eventLoop();
    }

    /** Applies the current cut between the two parties. Runs on the event loop. */
    void cutChanged() {
        CutKind cut = network.cut(pair);
        if (cut == CutKind.RESET) {
            reset();
            return;
        }
        stalled = cut == CutKind.STALLED;
        Channel other = callee;
        if (other != null) {
            readOn(caller, other);
            readOn(other, caller);
        } else if (!stalled && !connecting) {
            connect();
        }
    }

    private void connect() {
        connecting = true;
        caller.pipeline().addLast(new Half());
        var unused = new Bootstrap()
                .group(caller.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new Half())
                .connect(target)
                .addListener((ChannelFutureListener) connected -> {
                    if (!connected.isSuccess() || !caller.isActive()) {
                        reset();
                        var unusedClosing = connected.channel().close();
                        return;
                    }
                    network.opened(connected.channel());
                    callee = connected.channel();
                    cutChanged();
                });
    }

    /** Reads from one side while the other is writable. */
    private void readOn(Channel from, Channel to) {
        from.config().setAutoRead(!stalled && to.isWritable());
    }

    /** Resets both sides, as a failing peer would, rather than closing them in order. */
    private void reset() {
        caller.config().setSoLinger(0);
        var unused = caller.close();
        Channel other = callee;
        if (other instanceof SocketChannel socket) {
            socket.config().setSoLinger(0);
            var unusedToo = socket.close();
        }
    }

    /** A side of the connection. */
    private final class Half extends ChannelInboundHandlerAdapter {
        private @Nullable Channel other(Channel channel) {
            return channel == caller ? callee : caller;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            Channel to = other(context.channel());
            if (to == null) {
                ReferenceCountUtil.release(message);
                return;
            }
            var unused = to.write(message);
            readOn(context.channel(), to);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            Channel to = other(context.channel());
            if (to != null) {
                to.flush();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            Channel from = other(context.channel());
            if (from != null) {
                readOn(from, context.channel());
            }
        }

        /** Closes the other side after it has sent the bytes that this side sent before it closed. */
        @Override
        public void channelInactive(ChannelHandlerContext context) {
            Channel to = other(context.channel());
            if (to != null) {
                var unused = to.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            }
        }

        /** Resets the other side when this one breaks. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            reset();
        }
    }
}
