package com.acme.brokered;

import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.broker.BrokerService;

/**
 * A broker of ActiveMQ, and a client that sends numbers through it by TCP, each after the one before has come back. Prints
 * {@code messages N} for each line of its input, or what went wrong.
 */
public final class Main {
    private static final long PATIENCE_MS = 60_000;

    private Main() {
    }

    public static void main(String[] args) throws Exception {
        BrokerService broker = new BrokerService();
        broker.setPersistent(false);
        broker.setUseJmx(false);
        String address = broker.addConnector("tcp://127.0.0.1:0").getPublishableConnectString();
        broker.start();
        AtomicLong messages = new AtomicLong();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread client = new Thread(() -> {
            try {
                exchange(address, messages);
            } catch (Throwable t) {
                failure.set(t);
            }
        }, "client");
        client.setDaemon(true);
        client.start();
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        while (input.readLine() != null) {
            System.out.println(failure.get() == null ? "messages " + messages : failure.get().toString());
        }
        System.exit(0);
    }

    private static void exchange(String address, AtomicLong messages) throws Exception {
        Connection connection = new ActiveMQConnectionFactory(address).createConnection();
        connection.start();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue queue = session.createQueue("numbers");
        MessageProducer producer = session.createProducer(queue);
        MessageConsumer consumer = session.createConsumer(queue);
        for (long number = 0;; number++) {
            producer.send(session.createTextMessage("number " + number));
            Message came = consumer.receive(PATIENCE_MS);
            String text = came == null ? null : ((TextMessage) came).getText();
            if (!("number " + number).equals(text)) {
                throw new IllegalStateException("sent " + number + ", came " + text);
            }
            messages.incrementAndGet();
        }
    }
}
