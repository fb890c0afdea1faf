// QuickFIX (C++) as the acceptor at the other end of our sessions, for tests and for the benchmark.
//
//   quickfix_acceptor PORT VERSION OUR_NAME PEER_NAME STORE_FOLDER|- [THREADED]
//
// Every NewOrderSingle is answered with an ExecutionReport (new, nothing traded). What happens is printed on standard output, a line each:
//   listening | logon | logout | order CLORDID MSGSEQNUM POSSDUP | resent BEGINSEQNO ENDSEQNO | numbers SENDER TARGET
// and on standard input it takes:
//   report N     sends N unsolicited reports; without a connection they are numbered and stored
//   numbers      prints the next MsgSeqNum to send and to expect
//   quit         as does the end of the input
// With the store "-" numbers and messages are stored in memory.

#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/MessageStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/ThreadedSocketAcceptor.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>

namespace {

std::mutex output;

void tell(const std::string &line) {
    std::lock_guard<std::mutex> lock(output);
    std::cout << line << std::endl;
}

std::string value(const FIX::FieldMap &fields, int tag, const std::string &otherwise) {
    return fields.isSetField(tag) ? fields.getField(tag) : otherwise;
}

class Exchange : public FIX::Application {
  public:
    explicit Exchange(bool quiet) : quiet_(quiet) {}

    void onCreate(const FIX::SessionID &) override {}
    void onLogon(const FIX::SessionID &) override { tell("logon"); }
    void onLogout(const FIX::SessionID &) override { tell("logout"); }
    void toAdmin(FIX::Message &, const FIX::SessionID &) override {}
    void toApp(FIX::Message &, const FIX::SessionID &) throw(FIX::DoNotSend) override {}

    void fromAdmin(const FIX::Message &message, const FIX::SessionID &)
        throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::RejectLogon) override {
        if (value(message.getHeader(), 35, "") == "2") {
            tell("resent " + value(message, 7, "") + " " + value(message, 16, ""));
        }
    }

    void fromApp(const FIX::Message &message, const FIX::SessionID &session)
        throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::UnsupportedMessageType) override {
        const FIX::Header &header = message.getHeader();
        if (value(header, 35, "") != "D") {
            throw FIX::UnsupportedMessageType();
        }
        const std::string name = message.getField(11);
        if (!quiet_) {
            tell("order " + name + " " + value(header, 34, "") + " " + value(header, 43, "N"));
        }
        report(session, name, message.getField(55), message.getField(54), message.getField(38));
    }

    void report(const FIX::SessionID &session, const std::string &name, const std::string &symbol, const std::string &side,
                const std::string &quantity) {
        ++executions_;
        FIX::Message report;
        report.getHeader().setField(FIX::MsgType("8"));
        report.setField(37, std::to_string(executions_));
        report.setField(11, name);
        report.setField(17, std::to_string(executions_));
        report.setField(150, "0");
        report.setField(39, "0");
        report.setField(55, symbol);
        report.setField(54, side);
        report.setField(38, quantity);
        report.setField(151, quantity);
        report.setField(14, "0");
        report.setField(6, "0");
        report.setField(FIX::TransactTime(3));
        FIX::Session::sendToTarget(report, session);
    }

  private:
    bool quiet_;
    long executions_ = 0;
};

std::string settings(const std::string &port, const std::string &version, const std::string &ours, const std::string &peer,
                     const std::string &store) {
    std::ostringstream text;
    text << "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=" << port << "\nSocketReuseAddress=Y\nSocketNodelay=Y\n"
         << "StartTime=00:00:00\nEndTime=00:00:00\nUseDataDictionary=N\nReconnectInterval=1\n";
    if (store != "-") {
        text << "FileStorePath=" << store << "\n";
    }
    text << "[SESSION]\nBeginString=" << version << "\nSenderCompID=" << ours << "\nTargetCompID=" << peer << "\n";
    return text.str();
}

void serve(Exchange &exchange, const FIX::SessionID &session) {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string command;
        words >> command;
        if (command == "quit") {
            return;
        }
        if (command == "report") {
            int count = 0;
            words >> count;
            for (int at = 0; at < count; ++at) {
                exchange.report(session, "UNASKED" + std::to_string(at), "ABC", "1", "100");
            }
        } else if (command == "numbers") {
            FIX::Session *found = FIX::Session::lookupSession(session);
            tell("numbers " + std::to_string(found->getExpectedSenderNum()) + " " + std::to_string(found->getExpectedTargetNum()));
        }
    }
}

} // namespace

int main(int count, char **arguments) {
    if (count < 6) {
        std::cerr << "usage: quickfix_acceptor PORT VERSION OUR_NAME PEER_NAME STORE_FOLDER|- [bench|bench-threaded]\n";
        return 2;
    }
    const std::string version = arguments[2], ours = arguments[3], peer = arguments[4], store = arguments[5];
    const std::string mode = count > 6 ? arguments[6] : "";
    try {
        std::istringstream text(settings(arguments[1], version, ours, peer, store));
        FIX::SessionSettings configuration(text);
        Exchange exchange(!mode.empty());
        FIX::MemoryStoreFactory memory;
        FIX::FileStoreFactory file(configuration);
        FIX::MessageStoreFactory &stores = store == "-" ? static_cast<FIX::MessageStoreFactory &>(memory) : file;
        std::unique_ptr<FIX::Acceptor> acceptor;
        if (mode == "bench-threaded") {
            acceptor.reset(new FIX::ThreadedSocketAcceptor(exchange, stores, configuration));
        } else {
            acceptor.reset(new FIX::SocketAcceptor(exchange, stores, configuration));
        }
        acceptor->start();
        tell("listening");
        serve(exchange, FIX::SessionID(version, ours, peer));
        acceptor->stop(true);
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
